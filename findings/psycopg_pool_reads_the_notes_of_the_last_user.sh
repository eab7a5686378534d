#!/usr/bin/env bash
# psycopg-pool 3.3.3 and SQLAlchemy 2.1.9 with psycopg 3.3.9, beside asyncpg 0.32.0: a connection that comes out of the
# pool has the settings of whoever had it before.
#
# Guess: A pool gives each borrower a connection as it was when it was opened: asyncpg's does. So a `SET search_path` to
# the schema of a user, a time zone or a time-out ends with the block that set it.
# Seen: psycopg's pool and SQLAlchemy's roll back what is not committed, and leave all else. A `SET` that was committed,
# as at the end of each block of psycopg, stays on the connection: the next question, which sets nothing, is answered
# from Ann's notes. It depends on which connection comes next, so it is not seen with one user. `SET LOCAL` ends with
# the block. (psycopg's manual has `reset=` for it.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check psycopg==3.3.9 psycopg-binary==3.3.9 \
    psycopg-pool==3.3.3 asyncpg==0.32.0 sqlalchemy==2.1.9 pgserver==0.1.4
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import os
import sys

import asyncpg
import pgserver
import psycopg
from psycopg_pool import ConnectionPool
from sqlalchemy import create_engine, text

QUESTION = "SELECT text FROM notes"


def with_psycopg(address, statement):
    with ConnectionPool(address, min_size=1, max_size=1) as pool:
        with pool.connection() as connection:
            connection.execute(statement)
            own = connection.execute(QUESTION).fetchone()[0]
        with pool.connection() as connection:
            return own, connection.execute(QUESTION).fetchone()[0]


def with_sqlalchemy(address, statement):
    engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"), pool_size=1)
    with engine.begin() as connection:
        connection.execute(text(statement))
        own = connection.scalar(text(QUESTION))
    with engine.begin() as connection:
        return own, connection.scalar(text(QUESTION))


def with_asyncpg(address, statement):
    async def ask():
        async with asyncpg.create_pool(address, min_size=1, max_size=1) as pool:
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute(statement)
                own = await connection.fetchval(QUESTION)
            async with pool.acquire() as connection:
                return own, await connection.fetchval(QUESTION)

    return asyncio.run(ask())


os.chmod(sys.argv[1], 0o755)
server = pgserver.get_server(f"{sys.argv[1]}/database")
with psycopg.connect(server.get_uri()) as connection:
    connection.execute("CREATE TABLE notes AS SELECT 'everybody' AS text")
    connection.execute("CREATE SCHEMA ann")
    connection.execute("CREATE TABLE ann.notes AS SELECT 'Ann' AS text")
for ask in (with_psycopg, with_sqlalchemy, with_asyncpg):
    for statement in ("SET search_path TO ann", "SET LOCAL search_path TO ann"):
        print(f"{ask.__name__}, {statement}:", *ask(server.get_uri(), statement), sep=" ")
server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder")
echo "psycopg-pool==3.3.3, SQLAlchemy==2.1.9, asyncpg==0.32.0:" $found
[ "$found" = "with_psycopg, SET search_path TO ann: Ann Ann
with_psycopg, SET LOCAL search_path TO ann: Ann everybody
with_sqlalchemy, SET search_path TO ann: Ann Ann
with_sqlalchemy, SET LOCAL search_path TO ann: Ann everybody
with_asyncpg, SET search_path TO ann: Ann everybody
with_asyncpg, SET LOCAL search_path TO ann: Ann everybody" ]
