#!/usr/bin/env bash
# rustworkx 0.18.1 with networkx 3.6.1: in a graph that rustworkx wrote, networkx reads Ann's age of 30 as "since 30".
#
# Guess: Both libraries read and write GraphML, so a graph can go from networkx to rustworkx, which computes faster, and
# back, with each attribute under its name.
# Seen: rustworkx numbers the attributes of nodes and those of edges separately, each from d1, although an id must be
# unique in a document. networkx takes the last definition of an id for both: a person's `age` becomes `since`, the
# attribute of the edge, and no age is left; no error is raised. rustworkx and igraph read the same file as intended. In
# the other direction, rustworkx raises an error for a boolean from networkx, which writes "True" instead of "true".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rustworkx==0.18.1 networkx==3.6.1 igraph==1.0.0
cd "$folder"
cat > program.py <<'PROGRAM'
import igraph
import networkx
import rustworkx

graph = networkx.DiGraph()
graph.add_node("Ann", age=30)
graph.add_node("Bob", age=44)
graph.add_edge("Ann", "Bob", since=2019)
networkx.write_graphml(graph, "first.graphml")
[read] = rustworkx.read_graphml("first.graphml")
print("rustworkx read", {node["id"]: node["age"] for node in read.nodes()})
rustworkx.write_graphml(read, "second.graphml")

[again] = rustworkx.read_graphml("second.graphml")
print("rustworkx again", {node["id"]: node["age"] for node in again.nodes()})
vertices = igraph.Graph.Read_GraphML("second.graphml").vs
print("igraph", {vertex["id"]: int(vertex["age"]) for vertex in vertices})
print("networkx", dict(networkx.read_graphml("second.graphml").nodes(data=True)))

graph.nodes["Ann"]["vegan"] = True
networkx.write_graphml(graph, "third.graphml")
try:
    rustworkx.read_graphml("third.graphml")
except Exception as error:
    print(error)
PROGRAM
found=$("$folder/venv/bin/python" program.py)
echo "$found"
[ "$found" = "rustworkx read {'Ann': 30, 'Bob': 44}
rustworkx again {'Ann': 30, 'Bob': 44}
igraph {'Ann': 30, 'Bob': 44}
networkx {'Ann': {'since': 30}, 'Bob': {'since': 44}}
Failed conversion to 'bool': provided string was not \`true\` or \`false\`" ]
