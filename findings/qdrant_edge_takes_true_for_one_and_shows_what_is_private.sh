#!/usr/bin/env bash
# qdrant-edge-py 0.9.0 beside qdrant-client 1.20.0: in the embedded Qdrant, a filter by True matches the number 1 and
# not true, so a search that excludes private notes shows one.
#
# Guess: `MatchValue` takes a string, a number or a bool, as its type says. One filter finds the same notes in the
# embedded Qdrant and in the client's local mode, which stands in for a server: a bool matches bools.
# Seen: A stored true is read back as true. In a filter, True becomes 1 and False becomes 0. So the search for private
# notes finds only the note whose `private` is the number 1, and the search without private notes shows the PIN. A bool
# index on the field and a restart change nothing. A filter by a number matches as it does in the client.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check qdrant-client==1.20.0 qdrant-edge-py==0.9.0
cd "$folder"
cat > program.py <<'PROGRAM'
import qdrant_edge as edge
from qdrant_client import QdrantClient, models

notes = {
    1: {"text": "The PIN is 4711.", "private": True},
    2: {"text": "I like figs.", "private": False},
    3: {"text": "I drink tea.", "private": 1},
}
client = QdrantClient(":memory:")
client.create_collection("notes", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT))
client.upsert("notes", [models.PointStruct(id=number, vector=[1, number], payload=notes[number]) for number in notes])
vectors = edge.EdgeVectorParams(size=2, distance=edge.Distance.Dot)
shard = edge.EdgeShard.create("notes", edge.EdgeConfig(vectors=vectors))
points = [edge.Point(number, [1.0, float(number)], note) for number, note in notes.items()]
shard.update(edge.UpdateOperation.upsert_points(points))


def client_finds(**conditions):
    query = models.Filter(**{
        name: [models.FieldCondition(key="private", match=models.MatchValue(value=value))]
        for name, value in conditions.items()
    })
    return client.query_points("notes", [1.0, 0.0], query_filter=query).points


def edge_finds(**conditions):
    query = edge.Filter(**{
        name: [edge.FieldCondition("private", match=edge.MatchValue(value))] for name, value in conditions.items()
    })
    request = edge.QueryRequest(10, query=edge.Query.Nearest([1.0, 0.0]), filter=query, with_payload=True)
    return shard.query(request)


def show(name, finds):
    asked = {"private": {"must": True}, "public": {"must": False}, "not private": {"must_not": True}, "1": {"must": 1}}
    found = {what: sorted(point.id for point in finds(**conditions)) for what, conditions in asked.items()}
    print(f"{name}:", *(f"{what} {numbers}," for what, numbers in found.items()))


show("client", client_finds)
show("edge", edge_finds)
read = shard.retrieve([1, 2, 3], True, False)
print("read back:", {point.id: point.payload["private"] for point in read})
shard.update(edge.UpdateOperation.create_field_index("private", edge.PayloadSchemaType.Bool))
shard.close()
shard = edge.EdgeShard.load("notes")
show("edge, with an index", edge_finds)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "qdrant-edge-py==0.9.0:" $found
[ "$found" = "client: private [1], public [2], not private [2, 3], 1 [3],
edge: private [3], public [], not private [1, 2], 1 [3],
read back: {1: True, 2: False, 3: 1}
edge, with an index: private [3], public [], not private [1, 2], 1 [3]," ]
