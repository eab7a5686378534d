#!/usr/bin/env bash
# kuzu 0.11.3 and ladybug 0.22.0: three mentions of a person in one query add one to the count.
#
# Guess: `UNWIND $names AS name MATCH (p {name: name}) SET p.mentions = p.mentions + 1` counts each name of the list,
# since Cypher handles one row after another.
# Seen: All rows read the count from before the query, so Ann, Ann, Bob, Ann gives Ann 1. MERGE with ON MATCH SET does
# the same. With one query for each name, or with `count(*)` by name before SET, Ann has 3. And if the person is the
# same for the whole list (5, 7 and 9 euros that she owes), the rows are added up to 21. So the result depends on the
# plan of the query, and no error or row shows the difference.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check kuzu==0.11.3 ladybug==0.22.0
cat > "$folder/program.py" <<'PROGRAM'
import importlib
import sys

library = importlib.import_module(sys.argv[1])
NAMES = ["Ann", "Ann", "Bob", "Ann"]
EACH = "UNWIND $names AS name MATCH (p:Person {name: name}) SET p.mentions = p.mentions + 1"
MERGED = "UNWIND $names AS name MERGE (p:Person {name: name}) ON MATCH SET p.mentions = p.mentions + 1"
SUMS = """
UNWIND $names AS name WITH name, count(*) AS times
MATCH (p:Person {name: name}) SET p.mentions = p.mentions + times
"""
OWED = """
UNWIND [5, 7, 9] AS euros MATCH (p:Person {name: $names[1]}) SET p.mentions = p.mentions + euros
"""


def counted(query, batches):
    connection = library.Connection(library.Database(":memory:"))
    connection.execute("CREATE NODE TABLE Person(name STRING PRIMARY KEY, mentions INT64)")
    connection.execute("CREATE (:Person {name: 'Ann', mentions: 0}), (:Person {name: 'Bob', mentions: 0})")
    for names in batches:
        connection.execute(query, {"names": names})
    [[ann]] = connection.execute("MATCH (p:Person {name: 'Ann'}) RETURN p.mentions").get_all()
    return ann


one_by_one = counted(EACH, [[name] for name in NAMES])
each, merged, sums, owed = (counted(query, [NAMES]) for query in (EACH, MERGED, SUMS, OWED))
print(sys.argv[1], each, merged, one_by_one, sums, owed)
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" kuzu && "$folder/venv/bin/python" "$folder/program.py" ladybug)
echo "$found"
[ "$found" = "kuzu 1 1 3 3 21
ladybug 1 1 3 3 21" ]
