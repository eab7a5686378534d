#!/usr/bin/env bash
# networkx 3.6.1 with graphology-graphml 0.5.2 (npm): a graph of several relations, written as GraphML, cannot be read
# in JavaScript.
#
# Guess: `write_graphml` of a MultiDiGraph, as knowledge graphs are, gives each relation an id of its own, as the schema
# of GraphML wants, and as its GEXF has; other readers take it.
# Seen: The id is the key, which starts at 0 for each pair of nodes, or is the name of the relation. So "Ann knows Bob"
# and "Ann knows Cy" have one id. networkx reads that again; graphology takes them for one relation with other ends, and
# raises an error. The same graph as GEXF is read.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkx==3.6.1
cd "$folder"
npm install --silent --no-fund --no-audit graphology@0.26.0 graphology-graphml@0.5.2 graphology-gexf@0.13.2 > /dev/null
cat > program.py <<'PROGRAM'
import re
from pathlib import Path

import networkx

for name, keys in {"numbers": (None, None), "names": ("knows", "knows")}.items():
    graph = networkx.MultiDiGraph()
    graph.add_edge("Ann", "Bob", keys[0], relation="knows")
    graph.add_edge("Ann", "Cy", keys[1], relation="knows")
    networkx.write_graphml(graph, f"{name}.graphml")
    networkx.write_gexf(graph, f"{name}.gexf")
    ids = re.findall(r'<edge [^>]*id="(\w+)"', Path(f"{name}.graphml").read_text())
    print(name, *ids, networkx.read_graphml(f"{name}.graphml").number_of_edges())
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import graphology from "graphology";
import gexf from "graphology-gexf";
import graphml from "graphology-graphml";

for (const name of ["numbers", "names"]) {
  for (const [kind, reader] of Object.entries({ graphml, gexf })) {
    try {
      const graph = reader.parse(graphology.MultiDirectedGraph, readFileSync(`${name}.${kind}`, "utf8"));
      console.log(`${name}.${kind}:`, graph.size);
    } catch (error) {
      console.log(`${name}.${kind}:`, error.constructor.name);
    }
  }
}
PROGRAM
found=$(venv/bin/python program.py; node program.mjs)
echo "networkx==3.6.1:" $found
[ "$found" = "numbers 0 0 2
names knows knows 2
numbers.graphml: UsageGraphError
numbers.gexf: 2
names.graphml: UsageGraphError
names.gexf: 2" ]
