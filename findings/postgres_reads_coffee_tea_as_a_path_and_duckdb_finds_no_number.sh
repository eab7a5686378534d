#!/usr/bin/env bash
# PostgreSQL 18.7 (in @electric-sql/pglite 0.5.17, npm) and DuckDB 1.5.5 with its extension fts 1.5.5: the search of
# full text does not find words that stand in the note.
#
# Guess: A search in words finds a note by each word and number in it, with the dictionary "simple" at least:
# punctuation stands between words. SQLite's FTS5 finds all of them.
# Seen: PostgreSQL takes "coffee/tea" for a path, and "-4711" in "PIN-4711" or "-30" in a date for a number below zero,
# so tea, 4711 and 30 are not found; nor is Ann, of ann@example.com. DuckDB leaves out of its index what is no letter:
# no number is found, in a code, in a date or alone. (Both have it in their manuals: the kinds of tokens of the parser,
# and the default of `ignore`.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==1.5.5 duckdb-extension-fts==1.5.5 \
    duckdb-extensions==1.5.5 apsw==3.54.1.0
cd "$folder"
npm install --silent --no-fund --no-audit @electric-sql/pglite@0.5.17 > /dev/null
cat > notes.json <<'NOTES'
[
  ["tea", "Ann drinks coffee/tea."],
  ["4711", "Her code is PIN-4711."],
  ["30", "She comes on 2026-11-30."],
  ["ann", "Mail: ann@example.com"],
  ["22", "Bob is 22."],
  ["figs", "Bob likes figs."]
]
NOTES
cat > program.mjs <<'PROGRAM'
import { PGlite } from "@electric-sql/pglite";
import { readFileSync } from "node:fs";

const database = new PGlite();
const found = [];
for (const [word, note] of JSON.parse(readFileSync("notes.json"))) {
  const query = "SELECT to_tsvector('simple', $1) @@ websearch_to_tsquery('simple', $2) AS found";
  if ((await database.query(query, [note, word])).rows[0].found) found.push(word);
}
console.log("PostgreSQL:", ...found);
PROGRAM
cat > program.py <<'PROGRAM'
import json

import apsw
import duckdb
import duckdb_extensions

notes = json.load(open("notes.json"))
duck, lite = duckdb.connect(), apsw.Connection(":memory:")
duckdb_extensions.import_extension("fts", con=duck)
duck.execute("LOAD fts")
duck.execute("CREATE TABLE notes(id INTEGER, text VARCHAR)")
duck.executemany("INSERT INTO notes VALUES (?, ?)", [(number, note) for number, (_, note) in enumerate(notes)])
duck.execute("PRAGMA create_fts_index('notes', 'id', 'text', stemmer = 'none', stopwords = 'none')")
lite.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
lite.executemany("INSERT INTO notes VALUES (?)", [(note,) for _, note in notes])


def duckdb_finds(word):
    return duck.execute("SELECT 1 FROM notes WHERE fts_main_notes.match_bm25(id, ?) IS NOT NULL", [word]).fetchall()


def sqlite_finds(word):
    return lite.execute("SELECT 1 FROM notes WHERE notes MATCH ?", (word,)).fetchall()


for name, finds in (("DuckDB", duckdb_finds), ("SQLite", sqlite_finds)):
    print(f"{name}:", *(word for word, _ in notes if finds(word)))
PROGRAM
found=$(node program.mjs && "$folder/venv/bin/python" program.py)
echo $found
[ "$found" = "PostgreSQL: 22 figs
DuckDB: tea ann figs
SQLite: tea 4711 30 ann 22 figs" ]
