#!/usr/bin/env bash
# sqlite-vec 0.1.9 and lancedb 0.40.0: by cosine, a note whose vector is zero is the best hit in one, and in the other
# it is no hit at all.
#
# Guess: A note without a known word ("ok", an emoji) has the vector zero where an embedder counts words. It is like
# nothing, so stores put it at 1, as far as two vectors at right angles, and find what is near as they would without it.
# usearch does.
# Seen: In sqlite-vec its distance is NULL, which sorts first, and in a `vec0` table no nearer note gets past it: if the
# empty note came first, the best hit for each question is that one. In LanceDB it is in no result, and a question
# without a known word finds nothing. (sqlite-vec's NaN is known upstream.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlite-vec==0.1.9 apsw==3.54.1.0 lancedb==0.40.0 \
    usearch==2.26.6 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import sys

import apsw
import lancedb
import numpy as np
import sqlite_vec
from usearch.index import Index

notes = {"ok": [0, 0, 0], "figs": [1, 0, 0.1], "boat": [0, 1, 0]}
vectors = {name: np.array(vector, dtype=np.float32) for name, vector in notes.items()}

database = apsw.Connection(":memory:")
database.enable_load_extension(True)
database.load_extension(sqlite_vec.loadable_path())
database.execute("CREATE VIRTUAL TABLE notes USING vec0(name TEXT, vector FLOAT[3] distance_metric=cosine)")
database.execute("CREATE TABLE plain(name TEXT, vector BLOB)")
index = Index(ndim=3, metric="cos", dtype="f32")
for number, (name, vector) in enumerate(vectors.items()):
    database.execute("INSERT INTO notes(name, vector) VALUES (?, ?)", (name, vector.tobytes()))
    database.execute("INSERT INTO plain VALUES (?, ?)", (name, vector.tobytes()))
    index.add(number, vector)
table = lancedb.connect(sys.argv[1]).create_table(
    "notes", [{"name": name, "vector": vector} for name, vector in vectors.items()]
)


def vec0(question, count):
    return database.execute(
        "SELECT name, distance FROM notes WHERE vector MATCH ? AND k = ?", (question.tobytes(), count)
    )


def sorted_by_distance(question, count):
    return database.execute(
        "SELECT name, vec_distance_cosine(vector, ?) AS distance FROM plain ORDER BY distance LIMIT ?",
        (question.tobytes(), count),
    )


def lance(question, count):
    hits = table.search(question).distance_type("cosine").limit(count).to_list()
    return [(hit["name"], hit["_distance"]) for hit in hits]


def usearch(question, count):
    hits = index.search(question, count)
    return [(list(vectors)[key], distance) for key, distance in zip(hits.keys, hits.distances)]


for find in (usearch, vec0, sorted_by_distance, lance):
    names = [[name for name, _ in find(vectors["figs"], count)] for count in (1, 3)]
    print(find.__name__, "figs?", *(", ".join(found) for found in names), sep="; ", end="; ")
    print("ok?", len(list(find(vectors["ok"], 3))))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/notes")
echo "sqlite-vec==0.1.9, lancedb==0.40.0:" $found
[ "$found" = "usearch; figs?; figs; figs, boat, ok; ok? 3
vec0; figs?; ok; ok, figs, boat; ok? 3
sorted_by_distance; figs?; ok; ok, figs, boat; ok? 3
lance; figs?; figs; figs, boat; ok? 0" ]
