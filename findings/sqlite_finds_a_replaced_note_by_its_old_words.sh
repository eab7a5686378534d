#!/usr/bin/env bash
# SQLite 3.54.1 (in apsw 3.54.1.0): a note that was replaced is still found by the words it no longer has.
#
# Guess: An index of full text with `content=`, kept by the three triggers that SQLite's manual gives for it, knows what
# is in the table, by whichever statement it came there: `INSERT OR REPLACE` deletes the old row and inserts a new one,
# so the triggers for both run.
# Seen: The trigger for deletions does not run, as `recursive_triggers` is off by default. So a search for the old PIN
# finds the new note, which has no such word. After `ON CONFLICT DO UPDATE`, which leaves the same row in the table, it
# finds nothing. (The manual has the trigger in its page on FTS5, and this in its page on ON CONFLICT.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check apsw==3.54.1.0
cat > "$folder/program.py" <<'PROGRAM'
import apsw

TABLES = """
CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT);
CREATE VIRTUAL TABLE words USING fts5(text, content=notes, content_rowid=id);
CREATE TRIGGER added AFTER INSERT ON notes BEGIN
    INSERT INTO words(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER deleted AFTER DELETE ON notes BEGIN
    INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER changed AFTER UPDATE ON notes BEGIN
    INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO words(rowid, text) VALUES (new.id, new.text);
END;
"""
REPLACE = "INSERT OR REPLACE INTO notes VALUES (?, ?)"
UPSERT = "INSERT INTO notes VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text"
for name, recursive, statement in (
    ("OR REPLACE", "OFF", REPLACE),
    ("OR REPLACE, recursive_triggers", "ON", REPLACE),
    ("DO UPDATE", "OFF", UPSERT),
):
    database = apsw.Connection(":memory:")
    database.execute(f"PRAGMA recursive_triggers = {recursive}")
    database.execute(TABLES)
    for text in ("My PIN is 4711.", "Ann likes figs."):
        database.execute(statement, (1, text))
    found = [
        [text for (text,) in database.execute("SELECT text FROM words WHERE words MATCH ?", (word,))]
        for word in ("4711", "figs")
    ]
    print(f"{name}:", *found)
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "SQLite 3.54.1:" $found
[ "$found" = "OR REPLACE: ['Ann likes figs.'] ['Ann likes figs.']
OR REPLACE, recursive_triggers: [] ['Ann likes figs.']
DO UPDATE: [] ['Ann likes figs.']" ]
