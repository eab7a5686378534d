#!/usr/bin/env bash
# pyoxigraph 0.4.11 and 0.5.13: a store on disk that 0.4 wrote says each fact about a fact twice once 0.5 opens it, and
# can no longer be dumped to a file.
#
# Guess: 0.5, which has RDF 1.2 in place of RDF-star, opens the folder. It turns each statement about a statement (Bob
# said that Ann owes 50) into the new form, with a node between, or refuses it. A dump, which is the way out, works
# before and after.
# Seen: 0.5 adds the new form when it opens the folder, and leaves the old one beside it. So Bob has said it twice, with
# two different subjects; a count of his statements is doubled, and the number of facts grows from 2 to 4. `dump` ends
# with an error, as the old form is no fact of RDF 1.2 ("A triple has been found instead of a named or blank node"). 0.4
# cannot open the folder again. A file that 0.4 dumped before is loaded as said once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 0.4.11 0.5.13; do
    python3 -m venv "$version"
    "$version/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==$version
done
cat > program.py <<'PROGRAM'
import sys
from importlib.metadata import version

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Store, Triple

path, step = sys.argv[1:]
names = (NamedNode(f"http://example.com/{name}") for name in ("ann", "bob", "owes", "likes", "saidBy"))
ann, bob, owes, likes, said_by = names
store = Store(path)
if step == "write":
    store.add(Quad(ann, likes, Literal("tea")))
    store.add(Quad(Triple(ann, owes, Literal(50)), said_by, bob))
    store.flush()
if step == "load":
    store.load(path="facts.ttl", format=RdfFormat.TURTLE)
said = len(list(store.query(f"SELECT DISTINCT ?fact WHERE {{ ?fact {said_by} {bob} }}")))
try:
    store.dump(output=f"{step}.ttl", format=RdfFormat.TURTLE, from_graph=DefaultGraph())
    written = "yes"
except RuntimeError as error:
    written = str(error)
print(version("pyoxigraph"), f"{step}: {len(store)} facts, said {said}, written: {written}")
PROGRAM
found=$(
    0.4.11/bin/python program.py old write
    cp write.ttl facts.ttl
    0.5.13/bin/python program.py old open
    0.5.13/bin/python program.py new load
    0.4.11/bin/python program.py old reopen 2> /dev/null || echo "0.4.11 reopen: an error"
)
echo "$found"
[ "$found" = "0.4.11 write: 2 facts, said 1, written: yes
0.5.13 open: 4 facts, said 2, written: A triple has been found instead of a named or blank node
0.5.13 load: 3 facts, said 1, written: yes
0.4.11 reopen: an error" ]
