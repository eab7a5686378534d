#!/usr/bin/env bash
# ladybug 0.22.0, the successor of kuzu 0.11.3: 10 o'clock in Helsinki is stored as 8 or as 10, depending on the way in
# which it came into the database.
#
# Guess: A TIMESTAMP is in UTC, as in kuzu: a string with an offset is converted to UTC, and so is a Python datetime
# with a zone. At the least, a TIMESTAMP_TZ is the moment itself.
# Seen: In kuzu, a string with "+02:00" becomes 8 o'clock, both in a query and from CSV. In ladybug it does so only from
# CSV; in a query, `timestamp` and `CAST` drop the offset. So notes that are loaded and notes that are added differ by
# two hours, and a later one can be sorted first. A datetime parameter loses its zone in both. ladybug stores it in a
# TIMESTAMP_TZ as 10 o'clock UTC, which is another moment; kuzu refuses it there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check kuzu==0.11.3 ladybug==0.22.0
cd "$folder"
cat > program.py <<'PROGRAM'
import importlib
import sys
from datetime import datetime

library = importlib.import_module(sys.argv[1])
TEXT = "2026-11-30T10:00:00+02:00"
connection = library.Connection(library.Database(":memory:"))
connection.execute("CREATE NODE TABLE Note(id STRING PRIMARY KEY, at TIMESTAMP)")
connection.execute("CREATE NODE TABLE Moment(id STRING PRIMARY KEY, at TIMESTAMP_TZ)")
with open("notes.csv", "w") as file:
    print("id,at", f"csv,{TEXT}", sep="\n", file=file)
connection.execute("COPY Note FROM 'notes.csv' (header=true)")
connection.execute("CREATE (:Note {id: 'timestamp', at: timestamp($at)})", {"at": TEXT})
connection.execute("CREATE (:Note {id: 'cast', at: CAST($at AS TIMESTAMP)})", {"at": TEXT})
connection.execute("CREATE (:Note {id: 'datetime', at: $at})", {"at": datetime.fromisoformat(TEXT)})
for note, at in sorted(connection.execute("MATCH (n:Note) RETURN n.id, n.at").get_all()):
    print(sys.argv[1], note, at.hour)
try:
    connection.execute("CREATE (:Moment {id: 'datetime', at: $at})", {"at": datetime.fromisoformat(TEXT)})
    [[at]] = connection.execute("MATCH (n:Moment) RETURN n.at").get_all()
    print(sys.argv[1], "TIMESTAMP_TZ", at.isoformat())
except RuntimeError:
    print(sys.argv[1], "TIMESTAMP_TZ refused")
PROGRAM
found=$(for library in kuzu ladybug; do "$folder/venv/bin/python" program.py $library; done)
echo "$found"
[ "$found" = "kuzu cast 8
kuzu csv 8
kuzu datetime 10
kuzu timestamp 8
kuzu TIMESTAMP_TZ refused
ladybug cast 10
ladybug csv 8
ladybug datetime 10
ladybug timestamp 10
ladybug TIMESTAMP_TZ 2026-11-30T10:00:00+00:00" ]
