#!/usr/bin/env bash
# chromadb 0.6.3 and 1.5.9: a collection that 0.6.3 made with cosine is searched by another distance in 1.5.9, as soon
# as its `ef_search` is set.
#
# Guess: 1.5.9 reads what 0.6.3 wrote, with the distance that cannot be changed afterwards. `modify` with a new
# `ef_search`, which is how 1.5.9 has a search look further, changes that number alone.
# Seen: 1.5.9 finds by cosine at first, though it says "l2" in the configuration. `modify` writes that configuration,
# and from the next search on, restarts included, the distance is l2: the question about tea finds the rent, and a limit
# of 0.5 passes nothing. The metadata still say cosine; no warning, no error. The same collection made by 1.5.9 stays
# with cosine. New metadata, without `ef_search`, change nothing.
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
