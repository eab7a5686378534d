#!/usr/bin/env bash
# SQLite 3.54.1 (in apsw 3.54.1.0): a copy that applies the changes of another copy, as a session recorded them, can no
# longer find its own note.
#
# Guess: A session that is attached to all tables records the notes. It leaves out the full-text index, as the manual
# says of virtual tables, and the other copy's triggers write the new notes into its own index. Where a row is in both
# copies, the incoming one wins (REPLACE).
# Seen: The tables behind the index are recorded too: row numbers and blocks, which mean something else in the other
# copy. The program that applies them is asked about conflicts in tables that it never named. With REPLACE, the notes of
# both copies are in the table, but the index has the sender's blocks: a search for "figs", a word of the other copy's
# own note, finds nothing. With the default, which aborts, no note arrives. With OMIT, or with a session of the notes
# table alone, all are found.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check apsw==3.54.1.0
cat > "$folder/program.py" <<'PROGRAM'
import apsw

SCHEMA = """
CREATE TABLE notes(id TEXT PRIMARY KEY, text TEXT);
CREATE VIRTUAL TABLE words USING fts5(text, content='notes');
CREATE TRIGGER added AFTER INSERT ON notes BEGIN
    INSERT INTO words(rowid, text) VALUES (new.rowid, new.text);
END;
"""
REPLACE, OMIT = apsw.SQLITE_CHANGESET_REPLACE, apsw.SQLITE_CHANGESET_OMIT


def answer(reason, change):
    asked.add(change.name)
    can_replace = reason in (apsw.SQLITE_CHANGESET_DATA, apsw.SQLITE_CHANGESET_CONFLICT)
    return REPLACE if can_replace and wins == REPLACE else OMIT


for table, wins in ((None, None), (None, REPLACE), (None, OMIT), ("notes", REPLACE)):
    ann, bob, asked = apsw.Connection(":memory:"), apsw.Connection(":memory:"), set()
    for copy in (ann, bob):
        copy.execute(SCHEMA)
    session = apsw.Session(ann, "main")
    session.attach(table)
    ann.execute("INSERT INTO notes VALUES ('a1', 'Ann drinks tea'), ('a2', 'Ann sees Cy')")
    bob.execute("INSERT INTO notes VALUES ('b1', 'Bob likes figs')")
    try:
        apsw.Changeset.apply(session.changeset(), bob, **({"conflict": answer} if wins is not None else {}))
    except apsw.AbortError:
        pass
    notes = [number for (number,) in bob.execute("SELECT id FROM notes ORDER BY id")]
    found = [word for word in ("tea", "cy", "figs") if list(bob.execute("SELECT 1 FROM words(?)", (word,)))]
    print(*notes, "|", *found, "|", *sorted(asked))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "b1 | figs |
a1 a2 b1 | tea cy | words_data words_docsize words_idx
a1 a2 b1 | tea cy figs | words_data words_docsize words_idx
a1 a2 b1 | tea cy figs |" ]
