#!/usr/bin/env bash
# pandas 3.1.1 beside polars 2.1.0 and DuckDB 1.5.5: strings of digits in a JSON Lines log come back as numbers, in one
# chunk of the log and not in the next.
#
# Guess: JSON says which values are strings: "0042" and "+49170123" stand in quotation marks, so each reader keeps them
# as strings. It is CSV that has to guess.
# Seen: `read_json` turns a column into whole numbers if each of its strings can be one: phone numbers lose their plus,
# and a PIN loses its leading zeros. Read in chunks (`chunksize`), one field is a number in the first chunk and a string
# in the second, where somebody answered in words, so a filter by "0042" finds nothing in the first. polars and DuckDB
# keep the strings, and so does pandas with `dtype=False`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 polars==2.1.0 duckdb==1.5.5
cat > "$folder/program.py" <<'PROGRAM'
import duckdb
import pandas
import polars

said = [("0042", "+49170123"), ("4711", "+4930456"), ("0042", "+49170123"), ("No PIN.", "+4930456")]
with open("talk.jsonl", "w") as file:
    for text, phone in said:
        file.write(f'{{"text": "{text}", "from": "{phone}"}}\n')
table = pandas.read_json("talk.jsonl", lines=True)
print("pandas:", *table["text"], *table["from"])
for piece in pandas.read_json("talk.jsonl", lines=True, chunksize=2):
    print("a piece:", *piece["text"], (piece["text"] == "0042").sum())
table = pandas.read_json("talk.jsonl", lines=True, dtype=False)
print("pandas, dtype=False:", *table["text"], *table["from"])
table = polars.read_ndjson("talk.jsonl")
print("polars:", *table["text"], *table["from"])
table = duckdb.sql("SELECT * FROM 'talk.jsonl'").fetchall()
print("DuckDB:", *(text for text, _ in table), *(phone for _, phone in table))
PROGRAM
cd "$folder"
found=$(venv/bin/python program.py)
echo $found
[ "$found" = "pandas: 0042 4711 0042 No PIN. 49170123 4930456 49170123 4930456
a piece: 42 4711 0
a piece: 0042 No PIN. 1
pandas, dtype=False: 0042 4711 0042 No PIN. +49170123 +4930456 +49170123 +4930456
polars: 0042 4711 0042 No PIN. +49170123 +4930456 +49170123 +4930456
DuckDB: 0042 4711 0042 No PIN. +49170123 +4930456 +49170123 +4930456" ]
