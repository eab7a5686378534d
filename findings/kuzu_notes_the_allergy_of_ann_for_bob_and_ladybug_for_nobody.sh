#!/usr/bin/env bash
# kuzu 0.11.3 and ladybug 0.22.0, its successor: when one query stores three facts, kuzu gives one to the wrong person,
# and ladybug loses one.
#
# Guess: `UNWIND $rows AS row MERGE (person) CREATE (fact) CREATE (person)-[:SAID]->(fact)` is the usual way to store
# facts extracted from a talk: each row has its fact, and MERGE takes the person who is there, or makes one.
# Seen: If Ann is new and two rows are about her, with one about Bob between them, kuzu returns the right rows and
# stores her allergy as Bob's. ladybug skips the second row about her without an error, so nobody has the allergy. If
# Ann and Bob are stored already, or if each row has a query of its own, both do it right. (Upstream knows of the rows
# that ladybug leaves out.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check kuzu==0.11.3 ladybug==0.22.0
cat > "$folder/program.py" <<'PROGRAM'
import importlib
import sys

library = importlib.import_module(sys.argv[1])
FACTS = [("Ann", "drinks tea"), ("Bob", "likes figs"), ("Ann", "is allergic to nuts")]
ROWS = [{"who": who, "fact": fact} for who, fact in FACTS]
STORE = """
UNWIND $rows AS row
MERGE (person:Person {name: row.who})
CREATE (fact:Fact {text: row.fact})
CREATE (person)-[:SAID]->(fact)
RETURN person.name, fact.text
"""


def stored(people, batches):
    connection = library.Connection(library.Database(":memory:"))
    connection.execute("CREATE NODE TABLE Person(name STRING PRIMARY KEY)")
    connection.execute("CREATE NODE TABLE Fact(text STRING PRIMARY KEY)")
    connection.execute("CREATE REL TABLE SAID(FROM Person TO Fact)")
    for name in people:
        connection.execute("CREATE (:Person {name: $name})", {"name": name})
    for rows in batches:
        connection.execute(STORE, {"rows": rows})
    found = connection.execute("MATCH (p:Person)-[:SAID]->(f:Fact) RETURN p.name, f.text")
    return sorted(" ".join(row) for row in found.get_all())


right = sorted(" ".join(fact) for fact in FACTS)
print(sys.argv[1], "people known:", stored(["Ann", "Bob"], [ROWS]) == right)
print(sys.argv[1], "a query for each:", stored([], [[row] for row in ROWS]) == right)
print(sys.argv[1], "one query:", ", ".join(stored([], [ROWS])))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" kuzu && "$folder/venv/bin/python" "$folder/program.py" ladybug)
echo "$found"
[ "$found" = "kuzu people known: True
kuzu a query for each: True
kuzu one query: Ann drinks tea, Bob is allergic to nuts, Bob likes figs
ladybug people known: True
ladybug a query for each: True
ladybug one query: Ann drinks tea, Bob likes figs" ]
