#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2 with langgraph-checkpoint 4.3.2: one filter finds other notes in memory than in
# SQLite.
#
# Guess: `search` is one interface: a program that was tried with `InMemoryStore` finds the same notes in `SqliteStore`.
# Seen: "$ne" finds notes without the field in memory, and leaves them out in SQLite. "$lt" raises an error in memory as
# soon as one note has no number there, and in SQLite any text is 0: the age "unknown" is below 65. A field that is an
# object can be compared in memory only: in SQLite its keys are taken for operators, and raise an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    langgraph-checkpoint==4.3.2 langgraph-checkpoint-sqlite==3.1.2
cat > "$folder/program.py" <<'PROGRAM'
import sqlite3

from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore

sqlite = SqliteStore(sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None))
sqlite.setup()
notes = {
    "Ann": {"age": 70, "home": {"city": "Oslo"}},
    "Bob": {"age": 30},
    "Cy": {"age": "unknown"},
    "Dan": {"likes": "figs"},
}
filters = [{"age": {"$ne": 30}}, {"age": {"$lt": 65}}, {"home": {"city": "Oslo"}}]
for store in (InMemoryStore(), sqlite):
    for name, note in notes.items():
        store.put(("people",), name, note)
    for wanted in filters:
        try:
            found = sorted(item.key for item in store.search(("people",), filter=wanted))
        except (TypeError, ValueError) as error:
            found = [type(error).__name__]
        print(type(store).__name__, wanted, *found)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langgraph-checkpoint-sqlite==3.1.2:" $found
[ "$found" = "InMemoryStore {'age': {'\$ne': 30}} Ann Cy Dan
InMemoryStore {'age': {'\$lt': 65}} ValueError
InMemoryStore {'home': {'city': 'Oslo'}} Ann
SqliteStore {'age': {'\$ne': 30}} Ann Cy
SqliteStore {'age': {'\$lt': 65}} Bob Cy
SqliteStore {'home': {'city': 'Oslo'}} ValueError" ]
