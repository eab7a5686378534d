#!/usr/bin/env bash
# SQLite 3.54.1 (in apsw 3.54.1.0): the index that finds parts of words finds no word of two characters, which most
# words of Chinese are.
#
# Guess: FTS5 with `tokenize='trigram'`, as it is recommended for languages without spaces, finds a note by each piece
# of text in it; what is too short for the index is an error, or is looked for without it.
# Seen: A question of one or two characters finds nothing, and no error says so: 电话 (telephone) and 护士 (nurse) are in
# the note, as are "Bo" and "42". `LIKE` on the same table finds them, by reading all of it. Beside a longer word, the
# short one is passed over: "Oslo 99" finds the note about room 42. (The manual has the first in a sentence.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check apsw==3.54.1.0
cat > "$folder/program.py" <<'PROGRAM'
import apsw

database = apsw.Connection(":memory:")
database.execute("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize = 'trigram')")
for note in ("我的妹妹住在奥斯陆，她是护士，电话在抽屉里。", "Bo lives in Oslo, in room 42."):
    database.execute("INSERT INTO notes VALUES (?)", (note,))
for question in ("奥斯陆", "电话", "护士", "Oslo", "Bo", "42", "Oslo 99"):
    match = " ".join(f'"{word}"' for word in question.split())
    found = len(list(database.execute("SELECT 1 FROM notes WHERE notes MATCH ?", (match,))))
    like = " AND ".join(f"text LIKE '%{word}%'" for word in question.split())
    print(f"{question}: MATCH {found}, LIKE {len(list(database.execute(f'SELECT 1 FROM notes WHERE {like}')))}")
PROGRAM
found=$(PYTHONUTF8=1 "$folder/venv/bin/python" "$folder/program.py")
echo "SQLite 3.54.1:" $found
[ "$found" = "奥斯陆: MATCH 1, LIKE 1
电话: MATCH 0, LIKE 1
护士: MATCH 0, LIKE 1
Oslo: MATCH 1, LIKE 1
Bo: MATCH 0, LIKE 1
42: MATCH 0, LIKE 1
Oslo 99: MATCH 1, LIKE 0" ]
