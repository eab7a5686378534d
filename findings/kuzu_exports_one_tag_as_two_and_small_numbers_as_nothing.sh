#!/usr/bin/env bash
# kuzu 0.11.3 and ladybug 0.22.0, its successor: a graph that kuzu exported as CSV comes back with different tags and
# vectors, in kuzu and in ladybug.
#
# Guess: ladybug does not open a kuzu file, so EXPORT DATABASE and IMPORT DATABASE are the way from one to the other,
# and they make a backup. Both formats, Parquet and CSV, give back the same data: the export writes the schema beside
# the data, and quotes a string that contains a comma or a line break.
# Seen: Strings within a list are written without quotation marks: the tag "nuts, figs" comes back as two tags, "nuts"
# and "figs". Numbers keep six digits after the point: an importance of 0.0000004 becomes 0, and in a vector 0.00000012
# becomes 0 and 0.1234567 becomes 0.123457. No error is raised. Parquet keeps everything. (ladybug itself exports no
# CSV.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kuzu==0.11.3 ladybug==0.22.0
cat > program.py <<'PROGRAM'
import sys
from importlib import import_module

library, step, form = sys.argv[1:]
module = import_module(library)
connection = module.Connection(module.Database(f"{library}-{step}-{form}"))
if step == "export":
    members = "id INT64 PRIMARY KEY, tags STRING[], importance DOUBLE, vector FLOAT[2]"
    connection.execute(f"CREATE NODE TABLE Note({members})")
    connection.execute(
        "CREATE (:Note {id: 1, tags: $tags, importance: $importance, vector: cast($vector, 'FLOAT[2]')})",
        {"tags": ["nuts, figs", "tea"], "importance": 0.0000004, "vector": [0.1234567, 0.00000012]},
    )
    connection.execute(f"EXPORT DATABASE 'exported-{form}' (format='{form}')")
else:
    connection.execute(f"IMPORT DATABASE 'exported-{form}'")
rows = connection.execute("MATCH (note:Note) RETURN note.tags, note.importance, note.vector")
tags, importance, vector = rows.get_next()
print(library, step, form, tags, f"{importance:.7f}", *(f"{number:.8f}" for number in vector))
PROGRAM
found=$(
    for form in csv parquet; do
        venv/bin/python program.py kuzu export "$form"
        venv/bin/python program.py kuzu import "$form"
        venv/bin/python program.py ladybug import "$form"
    done
)
echo "$found"
seen="['nuts, figs', 'tea'] 0.0000004 0.12345670 0.00000012"
lost="['nuts', 'figs', 'tea'] 0.0000000 0.12345700 0.00000000"
[ "$found" = "kuzu export csv $seen
kuzu import csv $lost
ladybug import csv $lost
kuzu export parquet $seen
kuzu import parquet $seen
ladybug import parquet $seen" ]
