#!/usr/bin/env bash
# SQLAlchemy 2.1.9 and peewee 4.5.3, beside Django 5.2.19, with SQLite: a new answer gets the id of a deleted one, and
# so, in peewee, the vote on it.
#
# Guess: The id of a deleted message is not used again, as in PostgreSQL and MySQL, so a vote on it, or its vector in
# another store, points to nothing.
# Seen: To regenerate an answer, a program deletes the last message and adds one. SQLite gives that the same id, unless
# its table has AUTOINCREMENT: Django's tables have it, and those of SQLAlchemy (and so of SQLModel) and peewee do not.
# Nor does peewee ask SQLite to enforce foreign keys by default, so its vote on the old answer is now a vote on the new
# one. (The manual of SQLAlchemy explains how to ask for AUTOINCREMENT.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlalchemy==2.1.9 peewee==4.5.3 django==5.2.19
cat > "$folder/program.py" <<'PROGRAM'
import django
import peewee
import sqlalchemy
from django.conf import settings
from sqlalchemy.orm import Mapped, Session, declarative_base, mapped_column

settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}})
django.setup()
from django.db import connection, models  # noqa: E402

Base = declarative_base()


class Alchemy(Base):
    __tablename__ = "message"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]


class Peewee(peewee.Model):
    text = peewee.TextField()


class Vote(peewee.Model):
    message = peewee.ForeignKeyField(Peewee)


class Django(models.Model):
    text = models.TextField()

    class Meta:
        app_label = "chat"


engine = sqlalchemy.create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine, expire_on_commit=False) as session:
    session.add(old := Alchemy(text="old"))
    session.commit()
    session.delete(old)
    session.commit()
    session.add(new := Alchemy(text="new"))
    session.commit()
    print("SQLAlchemy:", old.id, new.id)
database = peewee.SqliteDatabase(":memory:")
with database.bind_ctx([Peewee, Vote]):
    database.create_tables([Peewee, Vote])
    old = Peewee.create(text="old")
    Vote.create(message=old)
    old.delete_instance()
    print("peewee:", old.id, Peewee.create(text="new").id)
    print("voted for:", *(vote.message.text for vote in Vote.select()))
with connection.schema_editor() as editor:
    editor.create_model(Django)
Django.objects.create(text="old").delete()
print("Django: 1", Django.objects.create(text="new").id)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo $found
[ "$found" = "SQLAlchemy: 1 1
peewee: 1 1
voted for: new
Django: 1 2" ]
