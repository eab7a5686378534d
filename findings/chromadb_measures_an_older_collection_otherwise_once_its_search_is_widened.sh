#!/usr/bin/env bash
# chromadb 0.6.3 and 1.5.9: a collection that 0.6.3 created with the cosine distance is searched with another distance
# in 1.5.9 once its `ef_search` is set.
#
# Guess: 1.5.9 reads a collection of 0.6.3 and keeps its distance, which cannot be changed afterwards. `modify` with a
# new `ef_search`, the setting of 1.5.9 for a wider search, changes only that number.
# Seen: At first 1.5.9 searches by cosine, although its configuration says "l2". `modify` saves that configuration, and
# from the next search on, also after a restart, the distance is l2: the question about tea finds the rent, and a limit
# of 0.5 lets nothing through. The metadata still says cosine; there is no warning and no error. A collection that 1.5.9
# itself created keeps cosine. New metadata, without `ef_search`, changes nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 0.6.3 1.5.9; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check chromadb==$version numpy==2.2.6
done
cat > "$folder/program.py" <<'PROGRAM'
import sys
from importlib.metadata import version

import chromadb
from chromadb.config import Settings

path, step = sys.argv[1:]
client = chromadb.PersistentClient(path, Settings(anonymized_telemetry=False))
if step == "add":
    notes = client.create_collection("notes", metadata={"hnsw:space": "cosine"})
    notes.add(ids=["tea", "rent"], embeddings=[[5.0, 1.0], [0.0, 1.0]])
notes = client.get_collection("notes")
if step == "modify":
    notes.modify(configuration={"hnsw": {"ef_search": 200}})
found = notes.query(query_embeddings=[[1.0, 0.0]], n_results=2)
nearest = (f"{note} {distance:.2f}" for note, distance in zip(found["ids"][0], found["distances"][0]))
print(version("chromadb"), step, *nearest, notes.metadata["hnsw:space"])
PROGRAM
found=$(
    cd "$folder"
    for step in 0.6.3:add 1.5.9:ask 1.5.9:modify 1.5.9:ask; do
        "$folder/${step%:*}/bin/python" -W ignore program.py old "${step#*:}" 2> /dev/null
    done
    for step in add modify ask; do
        "$folder/1.5.9/bin/python" -W ignore program.py new "$step" 2> /dev/null
    done
)
echo "$found"
[ "$found" = "0.6.3 add tea 0.02 rent 1.00 cosine
1.5.9 ask tea 0.02 rent 1.00 cosine
1.5.9 modify rent 2.00 tea 17.00 cosine
1.5.9 ask rent 2.00 tea 17.00 cosine
1.5.9 add tea 0.02 rent 1.00 cosine
1.5.9 modify tea 0.02 rent 1.00 cosine
1.5.9 ask tea 0.02 rent 1.00 cosine" ]
