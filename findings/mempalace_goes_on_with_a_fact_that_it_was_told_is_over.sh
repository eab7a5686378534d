#!/usr/bin/env bash
# mempalace 3.11.0: its graph ignores the dates of a fact that it already has without an end: a fact that is over goes
# on, and an earlier period is lost.
#
# Guess: A graph that knows when facts are true records the dates that it is given. "Ann lives in Oslo", and later "from
# 2020 to May 2023", end her stay, or make a second fact. Bob's two stays in one town are both kept, as each has its own
# dates.
# Seen: If the graph already has the same fact without an end, `add_triple` writes nothing and returns the id of the old
# fact, as if it had recorded the new one. So Ann lives in Oslo and in Rome today, and lived in Oslo in 1999. Bob came
# back to Oslo in 2024, and his earlier years there are lost. The same two stays of Cy, told in the order of time, are
# both kept. (Issue 2268 of mempalace reports the same for the source of a fact.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps mempalace==3.11.0 pyyaml==6.0.3 \
    python-dateutil==2.9.0.post0 six==1.17.0
cd "$folder"
cat > program.py <<'PROGRAM'
import os

os.environ["HOME"] = os.getcwd()

from mempalace.knowledge_graph import KnowledgeGraph

graph = KnowledgeGraph("graph.sqlite3")
ids = [
    graph.add_triple("Ann", "lives in", "Oslo"),
    graph.add_triple("Ann", "lives in", "Oslo", valid_from="2020-01-01", valid_to="2023-05-31"),
    graph.add_triple("Ann", "lives in", "Rome", valid_from="2023-06-01"),
    graph.add_triple("Bob", "lives in", "Oslo", valid_from="2024-01-01"),
    graph.add_triple("Bob", "lives in", "Oslo", valid_from="2010-01-01", valid_to="2015-05-31"),
    graph.add_triple("Cy", "lives in", "Oslo", valid_from="2010-01-01", valid_to="2015-05-31"),
    graph.add_triple("Cy", "lives in", "Oslo", valid_from="2024-01-01"),
]
print("told", len(ids), "noted", len(set(ids)))
for name in ("Ann", "Bob", "Cy"):
    for day in ("1999-01-01", "2012-01-01", "2026-01-01"):
        print(name, day[:4], *(fact["object"] for fact in graph.query_entity(name, as_of=day)))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "mempalace==3.11.0:" $found
[ "$found" = "told 7 noted 5
Ann 1999 Oslo
Ann 2012 Oslo
Ann 2026 Oslo Rome
Bob 1999
Bob 2012
Bob 2026 Oslo
Cy 1999
Cy 2012 Oslo
Cy 2026 Oslo" ]
