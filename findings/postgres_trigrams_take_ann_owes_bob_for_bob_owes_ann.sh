#!/usr/bin/env bash
# pg_trgm 1.6 of PostgreSQL 18.7 (in @electric-sql/pglite 0.5.17, npm), beside difflib of Python: two notes that say the
# opposite have a similarity of 1.
#
# Guess: `similarity` compares texts by their runs of three signs, so a similarity of 1 means the same text, but for
# capitals and punctuation; a program that keeps one of two notes above 0.9 loses nothing.
# Seen: The runs are those of each word, taken as a set, so neither the order of words nor their number counts: "Ann
# owes Bob" is "Bob owes Ann", and 4711 is 4711 4711. Signs that are no letters are left out, and with them the minus of
# a temperature and the difference of C++ and C#. A "not" alone makes a difference, a small one. (The manual tells how
# the set is made.) difflib tells each pair apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @electric-sql/pglite@0.5.17 > /dev/null
cat > pairs.json <<'PAIRS'
[
  ["Ann owes Bob 50 euros.", "Bob owes Ann 50 euros."],
  ["It is -5 degrees in Oslo.", "It is 5 degrees in Oslo."],
  ["Ann writes C++.", "Ann writes C#."],
  ["The PIN is 4711 4711.", "The PIN is 4711."],
  ["Ann is to take the red pills, not the blue ones.", "Ann is to take the blue pills, not the red ones."],
  ["Ann is allergic to nuts.", "Ann is not allergic to nuts."]
]
PAIRS
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";

const database = new PGlite({ extensions: { pg_trgm } });
await database.exec("CREATE EXTENSION pg_trgm");
const found = [];
for (const pair of JSON.parse(readFileSync("pairs.json"))) {
  const { rows } = await database.query("SELECT round(similarity($1, $2)::numeric, 2)::float8 AS similarity", pair);
  found.push(rows[0].similarity);
}
console.log("pg_trgm:", ...found);
PROGRAM
cat > program.py <<'PROGRAM'
import difflib
import json

pairs = json.load(open("pairs.json"))
print("difflib:", *(round(difflib.SequenceMatcher(None, one, other).ratio(), 2) for one, other in pairs))
PROGRAM
found=$(node program.mjs && python3 program.py)
echo "@electric-sql/pglite@0.5.17:" $found
[ "$found" = "pg_trgm: 1 1 1 1 1 0.88
difflib: 0.73 0.98 0.9 0.86 0.9 0.92" ]
