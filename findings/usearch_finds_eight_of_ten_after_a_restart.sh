#!/usr/bin/env bash
# usearch 2.26.6 beside faiss-cpu 1.15.1: an index that was restored from its file finds about 8 of the 10 nearest
# notes, where the saved one found all.
#
# Guess: `Index.restore` gives back the saved index. It reads the number of dimensions, the metric and the type of
# numbers from the file, so the breadth of a search (`expansion_search`) comes with them, as in FAISS, whose files have
# its `efSearch`.
# Seen: `restore`, with and without `view=True`, sets both expansions back to 64 and 128, those of a new index. No error
# is raised. The same questions find fewer of the nearest notes, and new notes would be added with less care too. Loaded
# into an index that was made with the old numbers, the same file finds all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check usearch==2.26.6 faiss-cpu==1.15.1 numpy==2.4.6
cd "$folder"
cat > program.py <<'PROGRAM'
import faiss
import numpy
from usearch.index import Index

random = numpy.random.default_rng(0)
notes, questions = (random.normal(size=(count, 64)).astype(numpy.float32) for count in (10000, 100))
for vectors in (notes, questions):
    faiss.normalize_L2(vectors)
nearest = numpy.argsort(-questions @ notes.T, axis=1)[:, :10]


def found(keys):
    return round(10 * numpy.mean([numpy.isin(right, some).mean() for right, some in zip(nearest, keys)]))


faiss.omp_set_num_threads(1)
graph = faiss.IndexHNSWFlat(64, 16, faiss.METRIC_INNER_PRODUCT)
graph.hnsw.efSearch = 1000
graph.add(notes)
print("FAISS", found(graph.search(questions, 10)[1]))
faiss.write_index(graph, "graph.faiss")
graph = faiss.read_index("graph.faiss")
print("restored", found(graph.search(questions, 10)[1]), graph.hnsw.efSearch)

options = {"ndim": 64, "metric": "cos", "dtype": "f32", "expansion_search": 1000, "expansion_add": 200}
index = Index(**options)
index.add(numpy.arange(len(notes)), notes, threads=1)
print("usearch", found(index.search(questions, 10).keys))
index.save("notes.usearch")
for view in (False, True):
    index = Index.restore("notes.usearch", view=view)
    print("restored", found(index.search(questions, 10).keys), index.expansion_search, index.expansion_add)
index = Index(**options)
index.load("notes.usearch")
print("loaded", found(index.search(questions, 10).keys))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "usearch==2.26.6:" $found
[ "$found" = "FAISS 10
restored 10 1000
usearch 10
restored 8 64 128
restored 8 64 128
loaded 10" ]
