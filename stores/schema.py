"""The tables of the SQL store, and their versions."""

from collections.abc import Callable, Mapping

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    LargeBinary,
    MetaData,
    Sequence,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql

__all__ = [
    "PLACE",
    "VERSION",
    "conversations",
    "embeddings",
    "items",
    "messages",
    "meta",
    "states",
    "upgrade",
    "version",
    "versions",
]

_tables = MetaData()
# In Unicode's order everywhere, whatever the language of the database.
_TEXT = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def _text(name: str, *, key: bool = False, null: bool = False) -> Column[str]:
    return Column(name, _TEXT, primary_key=key, nullable=null)


def _number(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, BigInteger, primary_key=key, nullable=False, autoincrement=False)


def _state_key() -> tuple[Column[str], Column[str]]:
    return _text("conversation_id", key=True), _text("strategy", key=True)


# The prefix lets the tables live in a database that has others.
# Row ids stay where rows are long: without them SQLite keeps whole rows in the inner nodes of its trees.
meta = Table("memzoo_meta", _tables, _text("key", key=True), _number("value"))
conversations = Table(
    "memzoo_conversations",
    _tables,
    *(_text("id", key=True), _number("born"), _number("revision"), _number("last_seq")),
    _text("updated_at"),
    sqlite_with_rowid=False,
)
messages = Table(
    "memzoo_messages",
    _tables,
    *(_text("conversation_id", key=True), _number("seq", key=True), _text("turn_id"), _number("place")),
    *(_text("message"), _text("fields"), _text("created_at")),
)
# A turn cannot be stored twice, not even by two processes at once.
PLACE = Index("memzoo_messages_by_place", messages.c.conversation_id, messages.c.turn_id, messages.c.place, unique=True)
states = Table(
    "memzoo_states", _tables, *_state_key(), _number("version"), _number("watermark"), sqlite_with_rowid=False
)
items = Table(
    "memzoo_items",
    _tables,
    *(*_state_key(), _text("key", key=True), _text("value", null=True), _number("version")),
    Index("memzoo_items_by_version", "conversation_id", "strategy", "version", "key"),
)
embeddings = Table(
    "memzoo_embeddings", _tables, *_state_key(), _number("seq", key=True), Column("vector", LargeBinary, nullable=False)
)


# Where there are sequences: no version is given twice, and nobody waits for one.
versions = Sequence("memzoo_versions", metadata=_tables, data_type=BigInteger)


def _create(connection: Connection) -> None:
    _tables.create_all(connection, checkfirst=False)
    connection.execute(insert(meta), [{"key": "schema", "value": VERSION}, {"key": "floor", "value": 0}])


def _to_2(connection: Connection) -> None:
    newest = select(func.max(messages.c.created_at)).where(messages.c.conversation_id == conversations.c.id)
    of_turn = messages.alias()
    same = (of_turn.c.conversation_id == messages.c.conversation_id) & (of_turn.c.turn_id == messages.c.turn_id)
    first = select(func.min(of_turn.c.seq)).where(same)
    connection.execute(text("ALTER TABLE memzoo_conversations ADD COLUMN updated_at TEXT NOT NULL DEFAULT ''"))
    connection.execute(text("ALTER TABLE memzoo_messages ADD COLUMN place BIGINT NOT NULL DEFAULT 0"))
    connection.execute(update(conversations).values(updated_at=newest.scalar_subquery()))
    connection.execute(update(messages).values(place=messages.c.seq - first.scalar_subquery()))
    connection.execute(text("DROP INDEX memzoo_messages_by_turn"))
    PLACE.create(connection)


# Each leads from its version to the next one; a step that was released is never changed.
_STEPS: Mapping[int, Callable[[Connection], None]] = {1: _to_2}
VERSION = 2
_UPGRADING = 0x6D656D7A6F6F  # "memzoo"


def version(connection: Connection) -> int:
    """The version of the tables that are there; 0 for none, up to `VERSION` for those that can be used."""
    if not inspect(connection).has_table(meta.name):
        return 0
    found: int = connection.execute(select(meta.c.value).where(meta.c.key == "schema")).scalar_one()
    return found


def upgrade(connection: Connection) -> None:
    """Create the tables, or bring older ones up to `VERSION`; one process does it, others wait for it."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_UPGRADING)))
    found = version(connection)
    if not found:
        _create(connection)
    for at in range(found or VERSION, VERSION):
        _STEPS[at](connection)
    connection.execute(update(meta).where(meta.c.key == "schema").values(value=VERSION))
