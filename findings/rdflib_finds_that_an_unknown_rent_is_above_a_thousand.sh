#!/usr/bin/env bash
# rdflib 7.6.0 and pyoxigraph 0.5.13: one query of SPARQL finds other people in the same graph.
#
# Guess: SPARQL is a standard: facts in Turtle and a query give the same rows in both. A word compared with a number is
# a type error there, so the row is left out; and `knows*` gives each person once.
# Seen: In rdflib any text is greater than any number, so Bob, whose rent is "unknown", pays more than 1,000. And where
# two people know each other, `knows*` gives the first of them twice, so that three people count as four. pyoxigraph
# keeps to the standard in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rdflib==7.6.0 pyoxigraph==0.5.13
cat > "$folder/program.py" <<'PROGRAM'
import pyoxigraph
import rdflib

facts = """
@prefix : <http://example.org/> .
:Ann :rent 1200 ; :knows :Bob .
:Bob :rent "unknown" ; :knows :Ann, :Cy .
:Cy :rent 800 .
"""
queries = {
    "above": "SELECT ?who { ?who :rent ?rent FILTER(?rent > 1000) }",
    "reached": "SELECT ?who { :Ann :knows* ?who }",
}
graph = rdflib.Graph().parse(data=facts, format="turtle")
store = pyoxigraph.Store()
store.load(facts.encode(), pyoxigraph.RdfFormat.TURTLE)
for library, ask in (("rdflib", graph.query), ("pyoxigraph", store.query)):
    for name, query in queries.items():
        rows = ask("PREFIX : <http://example.org/> " + query)
        print(library, name, *sorted(str(row[0]).rstrip(">").rpartition("/")[2] for row in rows))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "rdflib==7.6.0, pyoxigraph==0.5.13:" $found
[ "$found" = "rdflib above Ann Bob
rdflib reached Ann Ann Bob Cy
pyoxigraph above Ann
pyoxigraph reached Ann Bob Cy" ]
