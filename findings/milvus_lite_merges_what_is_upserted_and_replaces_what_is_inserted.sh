#!/usr/bin/env bash
# milvus-lite 3.2.2 with pymilvus 3.0.2: `upsert` leaves members of the old note in the new one, and `insert` of a note
# that is there replaces it.
#
# Guess: As pymilvus says, `upsert` puts a whole note in the place of the old one, unless `partial_update=True` is
# given; the default is False. `insert` of an id that is there is refused, or leaves both, as in a server of Milvus.
# Seen: It is the other way round. Each `upsert` is partial, also with `partial_update=False`: a note that was private,
# and is replaced by one that does not say so, stays private, and a filter finds it by that. A declared member is
# emptied, as the client writes None for it. `insert` replaces the whole note, and the old one is gone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check milvus-lite==3.2.2 pymilvus==3.0.2
cat > "$folder/program.py" <<'PROGRAM'
import sys

from pymilvus import DataType, MilvusClient

client = MilvusClient(f"{sys.argv[1]}/notes.db")
schema = client.create_schema(enable_dynamic_field=True)
schema.add_field("id", DataType.INT64, is_primary=True)
schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
schema.add_field("until", DataType.INT64, nullable=True)
index = client.prepare_index_params()
index.add_index("vector", index_type="FLAT", metric_type="COSINE")
client.create_collection("notes", schema=schema, index_params=index)
new = {"id": 1, "vector": [1.0, 0.0], "text": "new"}
for name, write in (
    ("upsert", lambda: client.upsert("notes", [new])),
    ("upsert, partial_update=False", lambda: client.upsert("notes", [new], partial_update=False)),
    ("upsert, partial_update=True", lambda: client.upsert("notes", [new], partial_update=True)),
    ("insert", lambda: client.insert("notes", [new])),
):
    client.delete("notes", filter="id >= 0")
    client.insert("notes", [{"id": 1, "vector": [0.0, 1.0], "text": "old", "until": 2024, "private": True}])
    write()
    notes = client.query("notes", filter="id >= 0", output_fields=["text", "until", "private"])
    found = client.query("notes", filter="private == true", output_fields=["id"])
    print(f"{name}:", *(dict(sorted(note.items())) for note in notes), f"private: {len(found)}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "milvus-lite==3.2.2, pymilvus==3.0.2:" $found
[ "$found" = "upsert: {'id': 1, 'private': True, 'text': 'new', 'until': None} private: 1
upsert, partial_update=False: {'id': 1, 'private': True, 'text': 'new', 'until': None} private: 1
upsert, partial_update=True: {'id': 1, 'private': True, 'text': 'new', 'until': 2024} private: 1
insert: {'id': 1, 'text': 'new', 'until': None} private: 0" ]
