#!/usr/bin/env bash
# sqlite-utils 4.2.1: once a foreign key is added to a table of notes, its search finds no note that is added later, and
# an edited note only by its old words.
#
# Guess: `enable_fts(create_triggers=True)` keeps the index in step with the table for good. `add_foreign_key`, which
# says whose note it is, adds a constraint and leaves the search as it is.
# Seen: SQLite cannot add the constraint to a table, so the library copies the notes to a new table, and the triggers go
# with the old one. The index stays, and answers with its knowledge of that day: `search` finds the old notes, none of
# the new ones, and a corrected PIN by the wrong number. No error is raised. `enable_fts` with `replace=True` mends it.
# (Known upstream for `transform`, which makes the copy: issue 849.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlite-utils==4.2.1
cat > "$folder/program.py" <<'PROGRAM'
import sqlite_utils

database = sqlite_utils.Database(memory=True)
database["people"].insert({"id": 1, "name": "Ann"}, pk="id")
notes = database["notes"]
notes.insert({"id": 1, "text": "The PIN is 4711.", "person": 1}, pk="id")
notes.enable_fts(["text"], create_triggers=True)


def found():
    return {word: [note["id"] for note in notes.search(word)] for word in ("4711", "5813", "figs", "nuts")}


notes.insert({"id": 2, "text": "She likes figs.", "person": 1})
print("before:", found(), len(notes.triggers), "triggers")
notes.add_foreign_key("person", "people", "id")
notes.insert({"id": 3, "text": "She eats no nuts.", "person": 1})
notes.update(1, {"text": "The PIN is 5813."})
print("after:", found(), len(notes.triggers), "triggers")
notes.enable_fts(["text"], create_triggers=True, replace=True)
print("replaced:", found(), len(notes.triggers), "triggers")
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "before: {'4711': [1], '5813': [], 'figs': [2], 'nuts': []} 3 triggers
after: {'4711': [1], '5813': [], 'figs': [2], 'nuts': []} 0 triggers
replaced: {'4711': [], '5813': [1], 'figs': [2], 'nuts': [3]} 3 triggers" ]
