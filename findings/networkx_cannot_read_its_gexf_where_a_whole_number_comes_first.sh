#!/usr/bin/env bash
# networkx 3.6.1 with graphology-gexf 0.13.2 (npm): a graph that was written as GEXF cannot be read, if its first rating
# is 4 and another one is 4.5; where 4.5 comes first, it can.
#
# Guess: `write_gexf` writes nothing that `read_gexf` does not read, and refuses what the format cannot hold. An
# attribute of several types has several declarations, as in networkx's GraphML, or the widest type.
# Seen: The first value that is met gives the type for all. After 4, "4.5" and "unknown" are written as of the type
# "long", with which networkx's reader is strict: it raises a ValueError, so the backup of a graph of memories is good
# for nothing. graphology reads the numbers, and no value in place of "unknown". After a truth, 1 is true in Python and
# false in JavaScript. GraphML gives each value back, in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check networkx==3.6.1
npm install --silent --no-fund --no-audit graphology@0.26.0 graphology-gexf@0.13.2 graphology-graphml@0.5.2 > /dev/null
cat > program.py <<'PROGRAM'
import networkx

VALUES = ((4, 4.5), (4.5, 4), (1990, "unknown"), (True, 1))
for number, (first, second) in enumerate(VALUES):
    graph = networkx.DiGraph()
    graph.add_node("Ann", value=first)
    graph.add_node("Bob", value=second)
    for kind in ("gexf", "graphml"):
        getattr(networkx, f"write_{kind}")(graph, f"{number}.{kind}")
        try:
            read = getattr(networkx, f"read_{kind}")(f"{number}.{kind}")
            found = [value for _, value in read.nodes(data="value")]
        except ValueError as error:
            found = f"ValueError, {error}"
        print(f"{number} {kind}, networkx:", found)
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import Graph from "graphology";
import gexf from "graphology-gexf";
import graphml from "graphology-graphml";

for (const number of [0, 1, 2, 3]) {
  for (const [kind, format] of Object.entries({ gexf, graphml })) {
    const graph = format.parse(Graph, readFileSync(`${number}.${kind}`, "utf8"));
    console.log(`${number} ${kind}, graphology:`, JSON.stringify(graph.mapNodes((_, { value }) => value)));
  }
}
PROGRAM
found=$(venv/bin/python program.py && node program.mjs)
echo "networkx==3.6.1, graphology-gexf@0.13.2:" $found
[ "$found" = "0 gexf, networkx: ValueError, invalid literal for int() with base 10: '4.5'
0 graphml, networkx: [4, 4.5]
1 gexf, networkx: [4.5, 4.0]
1 graphml, networkx: [4.5, 4]
2 gexf, networkx: ValueError, invalid literal for int() with base 10: 'unknown'
2 graphml, networkx: [1990, 'unknown']
3 gexf, networkx: [True, True]
3 graphml, networkx: [True, 1]
0 gexf, graphology: [4,4.5]
0 graphml, graphology: [4,4.5]
1 gexf, graphology: [4.5,4]
1 graphml, graphology: [4.5,4]
2 gexf, graphology: [1990,null]
2 graphml, graphology: [1990,\"unknown\"]
3 gexf, graphology: [true,false]
3 graphml, graphology: [true,1]" ]
