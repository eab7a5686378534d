#!/usr/bin/env bash
# chromadb 1.5.9: `upsert` of a note that is there leaves the metadata of the old one beside the new.
#
# Guess: `upsert` puts the new note in the place of the old, as it does with the text and the vector: what the new note
# does not name, it does not have. So does Qdrant's.
# Seen: The keys are merged. A note that was private, and until 2024, is replaced by one that has a date only: it stays
# private, and until 2024, and filters find it by that. None in their place removes them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chromadb==1.5.9 qdrant-client==1.20.0
cat > "$folder/program.py" <<'PROGRAM'
import sys

import chromadb
from qdrant_client import QdrantClient, models

old = {"text": "Ann lives in Oslo.", "private": True, "until": 2024}
new = {"text": "Ann lives in Rome.", "since": 2024}
for client in (chromadb.EphemeralClient(), chromadb.PersistentClient(sys.argv[1])):
    notes = client.create_collection("notes")
    for note in (old, new):
        notes.upsert(ids=["1"], embeddings=[[1.0, 0.0]], documents=[note["text"]], metadatas=[{**note}])
    print("Chroma:", *sorted(notes.get()["metadatas"][0]), "found:", notes.get(where={"private": True})["ids"])
    notes.upsert(ids=["1"], embeddings=[[1.0, 0.0]], metadatas=[{**dict.fromkeys(old), **new}])
    print("with None:", *sorted(notes.get()["metadatas"][0]))
qdrant = QdrantClient(":memory:")
qdrant.create_collection("notes", models.VectorParams(size=2, distance=models.Distance.COSINE))
for note in (old, new):
    qdrant.upsert("notes", [models.PointStruct(id=1, vector=[1.0, 0.0], payload=note)])
print("Qdrant:", *sorted(qdrant.retrieve("notes", [1])[0].payload))
PROGRAM
export ANONYMIZED_TELEMETRY=False
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/store" 2> /dev/null)
echo "chromadb==1.5.9:" $found
[ "$found" = "Chroma: private since text until found: ['1']
with None: since text
Chroma: private since text until found: ['1']
with None: since text
Qdrant: since text" ]
