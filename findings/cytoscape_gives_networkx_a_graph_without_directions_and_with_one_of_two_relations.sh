#!/usr/bin/env bash
# networkx 3.6.1 with cytoscape 3.35.0 (npm): a graph of relations that was shown in cytoscape.js comes back with one
# relation between two people, which holds both ways.
#
# Guess: Both speak one format: networkx writes `cytoscape_data`, cytoscape.js takes it and gives `cy.json()`, and
# `cytoscape_graph` reads that. Each relation has its source, its target and its key all the way.
# Seen: networkx says beside the elements that the graph is directed and has several relations between two nodes.
# cytoscape.js, where each relation is so, does not keep these words, and without them networkx makes an undirected
# graph of one relation a pair: the last one stays, so Ann hates Bob, as he hates her, and she does not know him. No
# error is raised. With the two words put back, all three relations are there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check networkx==3.6.1
npm install --silent --no-fund --no-audit cytoscape@3.35.0 > /dev/null
cat > write.py <<'PROGRAM'
import json

import networkx

graph = networkx.MultiDiGraph()
graph.add_edges_from([("Ann", "Bob", "knows"), ("Ann", "Bob", "pays"), ("Bob", "Ann", "hates")])
json.dump(networkx.cytoscape_data(graph), open("written.json", "w"))
PROGRAM
cat > show.mjs <<'PROGRAM'
import { readFileSync, writeFileSync } from "node:fs";
import cytoscape from "cytoscape";

const shown = cytoscape({ ...JSON.parse(readFileSync("written.json")), headless: true });
const tell = (edge) => `${edge.source().id()} ${edge.data("key")} ${edge.target().id()},`;
console.log("shown:", ...shown.edges().map(tell));
writeFileSync("shown.json", JSON.stringify(shown.json()));
PROGRAM
cat > read.py <<'PROGRAM'
import json

import networkx

data = json.load(open("shown.json"))
for name, words in (("read", {}), ("with the two words", {"directed": True, "multigraph": True})):
    graph = networkx.cytoscape_graph(data | words)
    found = [(one, other, relation["key"]) for one, other, relation in graph.edges(data=True)]
    print(f"{name}:", *(f"{one} {key} {other}," for one, other, key in found), type(graph).__name__)
    print("Ann to Bob:", graph.has_edge("Ann", "Bob"), "Bob to Ann:", graph.has_edge("Bob", "Ann"), len(found))
PROGRAM
found=$(venv/bin/python write.py && node show.mjs && venv/bin/python read.py)
echo "networkx==3.6.1, cytoscape@3.35.0:" $found
[ "$found" = "shown: Ann knows Bob, Ann pays Bob, Bob hates Ann,
read: Ann hates Bob, Graph
Ann to Bob: True Bob to Ann: True 1
with the two words: Ann knows Bob, Ann pays Bob, Bob hates Ann, MultiDiGraph
Ann to Bob: True Bob to Ann: True 3" ]
