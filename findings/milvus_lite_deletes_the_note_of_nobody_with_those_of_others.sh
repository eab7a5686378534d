#!/usr/bin/env bash
# milvus-lite 3.2.2 with pymilvus 3.0.2, beside SQLite: `owner != "ann"` and `owner not in ["ann"]` find different
# notes, so a deletion of other people's notes also deletes a note that belongs to nobody.
#
# Guess: The two are one condition, written in two ways. For a note without an owner both are unknown, as in SQL, so
# neither finds it; or both do.
# Seen: `!=` skips it, and so does `not (owner == "ann")`; `!=` and `not in` do the same with numbers. `not in` finds
# it, and so does `not array_contains(tags, "x")` for a note without tags, while `not (tags[0] == "x")` does not.
# `delete` follows: with `not in`, nobody's note is gone. SQLite skips it in both ways.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check milvus-lite==3.2.2 pymilvus==3.0.2
cat > "$folder/program.py" <<'PROGRAM'
import sqlite3
import sys

from pymilvus import DataType, MilvusClient

client = MilvusClient(sys.argv[1])
schema = client.create_schema()
schema.add_field("id", DataType.INT64, is_primary=True)
schema.add_field("vector", DataType.FLOAT_VECTOR, dim=2)
schema.add_field("owner", DataType.VARCHAR, max_length=20, nullable=True)
schema.add_field("level", DataType.INT64, nullable=True)
options = {"element_type": DataType.VARCHAR, "max_capacity": 9, "max_length": 20, "nullable": True}
schema.add_field("tags", DataType.ARRAY, **options)
index = client.prepare_index_params("vector", index_type="FLAT", metric_type="COSINE")
client.create_collection("notes", schema=schema, index_params=index)
rows = [(1, "ann", 1, ["x"]), (2, "bob", 2, ["y"]), (3, None, None, None)]
names = ("id", "owner", "level", "tags")
client.insert("notes", [{"vector": [1.0, 0.0], **dict(zip(names, row))} for row in rows])


def found(condition):
    return sorted(row["id"] for row in client.query("notes", filter=condition, output_fields=["id"]))


for condition in (
    "owner != 'ann'",
    "not (owner == 'ann')",
    "owner not in ['ann']",
    "level != 1",
    "level not in [1]",
    "not (tags[0] == 'x')",
    "not array_contains(tags, 'x')",
):
    print(f"Milvus Lite: {condition}:", *found(condition))
client.delete("notes", filter="owner not in ['ann']")
print("left:", *found("id > 0"))
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE notes(id, owner, level)")
connection.executemany("INSERT INTO notes VALUES (?, ?, ?)", [row[:3] for row in rows])
for condition in ("owner != 'ann'", "owner NOT IN ('ann')"):
    print(f"SQLite: {condition}:", *(row[0] for row in connection.execute(f"SELECT id FROM notes WHERE {condition}")))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/notes.db" 2> /dev/null)
echo "$found"
[ "$found" = "Milvus Lite: owner != 'ann': 2
Milvus Lite: not (owner == 'ann'): 2
Milvus Lite: owner not in ['ann']: 2 3
Milvus Lite: level != 1: 2
Milvus Lite: level not in [1]: 2 3
Milvus Lite: not (tags[0] == 'x'): 2
Milvus Lite: not array_contains(tags, 'x'): 2 3
left: 1
SQLite: owner != 'ann': 2
SQLite: owner NOT IN ('ann'): 2" ]
