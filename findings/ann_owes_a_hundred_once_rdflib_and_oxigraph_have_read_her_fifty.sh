#!/usr/bin/env bash
# rdflib 7.6.0 beside pyoxigraph 0.5.13 (PyPI) and jsonld 9.0.0 (npm): rdflib reads a debt of 50.0 in JSON-LD as another
# fact than the other two do, so a query misses it, and a graph of both counts it twice.
#
# Guess: A JSON-LD document states the same facts to each reader. 50.0, as Python writes a sum of money in JSON, is a
# double in all of them, or 50 in all of them; a fact that comes from two readers is in the graph once.
# Seen: The standard turns 50.0 into the whole number 50, and so do pyoxigraph and jsonld. rdflib makes a double of it,
# which is another term in the graph: a query for `:owes 50` finds Ann in pyoxigraph alone. Once pyoxigraph has also
# loaded the facts that rdflib read, she has two debts with a sum of 100. 4.5 and the number 2 stay one fact each. (The
# same was reported for another reader, PyLD.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rdflib==7.6.0 pyoxigraph==0.5.13
cd "$folder"
npm install --silent --no-fund --no-audit jsonld@9.0.0 > /dev/null
python3 -c 'import json; print(json.dumps({"@context": {"@vocab": "http://e/"}, "@id": "http://e/ann",
    "owes": 50.0, "paid": 4.5, "children": 2}))' > note.jsonld
cat > program.py <<'PROGRAM'
import pyoxigraph
import rdflib

ASK = "ASK { ?who <http://e/owes> 50 }"
SUM = "SELECT (SUM(?debt) AS ?sum) (COUNT(*) AS ?debts) WHERE { ?who <http://e/owes> ?debt }"
graph = rdflib.Graph().parse("note.jsonld", format="json-ld")
store = pyoxigraph.Store()
store.load(path="note.jsonld", format=pyoxigraph.RdfFormat.JSON_LD)
owes = rdflib.URIRef("http://e/owes"), pyoxigraph.NamedNode("http://e/owes")
print("rdflib", bool(graph.query(ASK)), len(graph), *(debt.n3() for debt in graph.objects(None, owes[0])))
debts = store.quads_for_pattern(None, owes[1], None)
print("pyoxigraph", bool(store.query(ASK)), len(store), *(quad.object for quad in debts))
store.load(graph.serialize(format="nt").encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
print("both", len(store), *(float(solution["sum"].value) for solution in store.query(SUM)))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import jsonld from "jsonld";

const quads = await jsonld.toRDF(JSON.parse(readFileSync("note.jsonld", "utf8")));
const { value, datatype } = quads.find(({ predicate }) => predicate.value.endsWith("owes")).object;
console.log("jsonld", `"${value}"^^<${datatype.value}>`);
PROGRAM
found=$("$folder/venv/bin/python" program.py && node program.mjs)
echo "$found"
schema=http://www.w3.org/2001/XMLSchema
[ "$found" = "rdflib False 3 \"50.0\"^^<$schema#double>
pyoxigraph True 3 \"50\"^^<$schema#integer>
both 4 100.0
jsonld \"50\"^^<$schema#integer>" ]
