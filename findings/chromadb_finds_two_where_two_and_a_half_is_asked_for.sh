#!/usr/bin/env bash
# chromadb 1.5.9 beside qdrant-client 1.20.0: a filter for 2.5 finds the number 2, and a filter for "below 2.5" does
# not.
#
# Guess: Numbers are compared as numbers: 2 is not 2.5 and is below it, whether it was stored as 2 or as 2.0.
# Seen: Whole numbers are stored apart from all others, and for them the filter's number is cut to 2. So == 2.5, >= 2.5
# and "in [2.5]" find 2, and it survives a deletion of everything below 2.5; 2.0 beside it is treated correctly. Below
# zero, -2 counts as -2.5: it is not above -2.5, but it is found by <= -2.5. (Issue 7491 of chroma.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chromadb==1.5.9 qdrant-client==1.20.0
cd "$folder"
cat > program.py <<'PROGRAM'
import chromadb
from qdrant_client import QdrantClient, models

grades = [-3, -2, 1, 2, 2.0, 3]
client = chromadb.PersistentClient("chroma")
notes = client.create_collection("notes")
ids = [str(number) for number in range(len(grades))]
vectors = [[1.0, 0.0]] * len(grades)
notes.add(ids, embeddings=vectors, metadatas=[{"grade": grade} for grade in grades])
qdrant = QdrantClient(":memory:")
qdrant.create_collection("notes", models.VectorParams(size=2, distance=models.Distance.DOT))
points = [models.PointStruct(id=i, vector=[1.0, 0.0], payload={"grade": grade}) for i, grade in enumerate(grades)]
qdrant.upsert("notes", points)


def chroma_finds(operator, number):
    return [grades[int(i)] for i in sorted(notes.get(where={"grade": {f"${operator}": number}})["ids"])]


def qdrant_finds(operator, number):
    condition = models.FieldCondition(key="grade", range=models.Range(**{operator: number}))
    return [point.payload["grade"] for point in qdrant.scroll("notes", models.Filter(must=[condition]))[0]]


for operator, number in (("gte", 2.5), ("gt", 2.5), ("lt", 2.5), ("lte", 2.5), ("gt", -2.5), ("lte", -2.5)):
    print(operator, number, chroma_finds(operator, number), qdrant_finds(operator, number))
print("eq 2.5", chroma_finds("eq", 2.5), "in [2.5]", chroma_finds("in", [2.5]))
notes.delete(where={"grade": {"$lt": 2.5}})
print("left", [note["grade"] for note in notes.get()["metadatas"]])
PROGRAM
export ANONYMIZED_TELEMETRY=False
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "chromadb==1.5.9:" "$found"
[ "$found" = "gte 2.5 [2, 3] [3]
gt 2.5 [3] [3]
lt 2.5 [-3, -2, 1, 2.0] [-3, -2, 1, 2, 2.0]
lte 2.5 [-3, -2, 1, 2, 2.0] [-3, -2, 1, 2, 2.0]
gt -2.5 [1, 2, 2.0, 3] [-2, 1, 2, 2.0, 3]
lte -2.5 [-3, -2] [-3]
eq 2.5 [2] in [2.5] [2]
left [2, 3]" ]
