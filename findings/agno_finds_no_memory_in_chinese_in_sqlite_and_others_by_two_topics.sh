#!/usr/bin/env bash
# agno 3.1.10 with SQLite and PostgreSQL (in pgserver 0.1.4): SQLite finds nothing by a Chinese word or topic, nor by
# one with an umlaut; and a search for two topics finds other memories in a database than in memory.
#
# Guess: `get_user_memories` is one method of one interface: a program that was tried with `InMemoryDb` or `JsonDb`
# finds the same memories, by a word or by topics, in `SqliteDb` and `PostgresDb`.
# Seen: In SQLite, memories and topics are stored as JSON with an escape for each letter outside ASCII, and the search
# looks into that text: it finds neither 杭州 nor Köln as words, and neither 住址 nor Köln as topics. A search for two
# topics finds memories with either of them in memory and in a file, and only those with both in SQLite and PostgreSQL.
# These two also read the signs of LIKE: "50%" finds 500, and the topic a_b finds a-b. SQLite ignores case in topics.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agno==3.1.10 sqlalchemy==2.1.9 pgserver==0.1.4 \
    psycopg==3.3.9 psycopg-binary==3.3.9 greenlet==3.5.6
cd "$folder"
cat > program.py <<'PROGRAM'
import os

import pgserver
from agno.db.in_memory import InMemoryDb
from agno.db.json import JsonDb
from agno.db.postgres import PostgresDb
from agno.db.schemas import UserMemory
from agno.db.sqlite import SqliteDb

memories = [
    ("Ann lives in Köln.", ["home", "Köln"]),
    ("我住在杭州。", ["home", "住址"]),
    ("Her rent is 50% of her pay.", ["home", "money"]),
    ("Her boat was 500 euros.", ["money", "a-b"]),
]
server = pgserver.get_server(os.path.abspath("postgres"))
try:
    url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    for database in (InMemoryDb(), JsonDb("json"), SqliteDb(db_file="agno.db"), PostgresDb(db_url=url)):
        for number, (text, topics) in enumerate(memories, start=1):
            memory = UserMemory(memory=text, topics=topics, user_id="ann", memory_id=str(number))
            database.upsert_user_memory(memory)

        def found(**options):
            return "".join(sorted(memory.memory_id for memory in database.get_user_memories("ann", **options))) or "-"

        by_words = (f"{words} {found(search_content=words)}," for words in ("boat", "Köln", "杭州", "50%"))
        asked = (["home"], ["Köln"], ["住址"], ["HOME"], ["a_b"], ["home", "money"])
        by_topics = (f"{'+'.join(topics)} {found(topics=topics)}," for topics in asked)
        print(f"{type(database).__name__}:", *by_words, "topics", *by_topics)
finally:
    server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "agno==3.1.10:" "$found"
[ "$found" = "InMemoryDb: boat 4, Köln 1, 杭州 2, 50% 3, topics home 123, Köln 1, 住址 2, HOME -, a_b -, home+money 1234,
JsonDb: boat 4, Köln 1, 杭州 2, 50% 3, topics home 123, Köln 1, 住址 2, HOME -, a_b -, home+money 1234,
SqliteDb: boat 4, Köln -, 杭州 -, 50% 34, topics home 123, Köln -, 住址 -, HOME 123, a_b 4, home+money 3,
PostgresDb: boat 4, Köln 1, 杭州 2, 50% 34, topics home 123, Köln 1, 住址 2, HOME -, a_b 4, home+money 3," ]
