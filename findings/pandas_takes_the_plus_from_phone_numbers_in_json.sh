#!/usr/bin/env bash
# pandas 3.1.1 beside polars 2.1.0 and DuckDB 1.5.5: texts of a log in lines of JSON that consist of digits come back as
# numbers, in one piece of the log and not in the next.
#
# Guess: JSON says which values are texts: "0042" and "+49170123" between quotation marks are texts for each reader. It
# is CSV that has to guess.
# Seen: `read_json` turns a column into whole numbers where each text of it can be one: the plus of phone numbers and
# the zeros in front of a PIN are gone, and a file that is written again has other values than the one that was read.
# Read in pieces (`chunksize`), one member is a number in the first piece and a text in the second, in which somebody
# answered in words; so a filter by "0042" finds nothing in one of them. polars and DuckDB keep the texts.
# (`dtype=False` does it in pandas, too.)
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
