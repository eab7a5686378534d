#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2: a note whose time is over is shown, and lives on if it is; and where nobody set
# whether reading counts, a note that is read each day is deleted.
#
# Guess: With a `default_ttl` of a week, a note is gone on day 8, or with `omit_expired` at least not shown until a
# sweep deletes it. `refresh_on_read` is True where it is not set, as its description says: a note that is read daily
# stays.
# Seen: `get` shows the note on day 8, with `omit_expired`, too. With `refresh_on_read=True` that counts as a reading
# and gives the note another week, so that the sweep leaves a note that should have been forgotten. Not set, it is False
# here, and the note that was read on each day goes with the rest. (That `omit_expired` is ignored is issue 8902 of
# langgraph.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    langgraph-checkpoint==4.3.2 langgraph-checkpoint-sqlite==3.1.2
cat > "$folder/program.py" <<'PROGRAM'
import sqlite3

from langgraph.store.sqlite import SqliteStore

WEEK = 7 * 24 * 60


def opened(**options):
    database = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    store = SqliteStore(database, ttl={"default_ttl": WEEK, **options})
    store.setup()
    store.put(("notes",), "pin", {"text": "4711"})
    return store


def pass_days(store, days):
    store.conn.execute("UPDATE store SET expires_at = datetime(expires_at, ?)", (f"-{days} days",))


def read(store):
    return bool(store.get(("notes",), "pin"))


for options in ({}, {"refresh_on_read": True}, {"refresh_on_read": False}, {"omit_expired": True}):
    late = opened(**options)
    pass_days(late, 8)
    shown = read(late)
    late.sweep_ttl()
    daily = opened(**options)
    for _ in range(8):
        pass_days(daily, 1)
        read(daily)
    daily.sweep_ttl()
    print(f"{options}: shown on day 8 {shown}, there after the sweep {read(late)}, if read daily {read(daily)}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langgraph-checkpoint-sqlite==3.1.2:" $found
[ "$found" = "{}: shown on day 8 True, there after the sweep False, if read daily False
{'refresh_on_read': True}: shown on day 8 True, there after the sweep True, if read daily True
{'refresh_on_read': False}: shown on day 8 True, there after the sweep False, if read daily False
{'omit_expired': True}: shown on day 8 True, there after the sweep False, if read daily False" ]
