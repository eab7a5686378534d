#!/usr/bin/env bash
# igraph 1.0.0 with networkx 3.6.1: names of people that one writes are other names when the other has read them.
#
# Guess: A knowledge graph goes from one library to the other and back, as GML or as GraphML, which both read and write,
# with its names and relations as they were.
# Seen: In GML, networkx writes a letter that is not ASCII, and a quotation mark, as its number; igraph reads that
# literally, so 李梅 is "&#26446;&#26757;", and stays so, also for networkx, when it reads the graph back. In GraphML,
# where the name is the id of a node, igraph reads "Ben & Jerry" as "Ben &#38; Jerry". And networkx refuses GML that
# igraph wrote with a name in another alphabet.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check igraph==1.0.0 networkx==3.6.1
cd "$folder"
cat > program.py <<'PROGRAM'
import igraph
import networkx

graph = networkx.DiGraph()
graph.add_edge("李梅", "Ben & Jerry", relation='calls them "B&J"')
for form, name in (("gml", "label"), ("graphml", "id")):
    getattr(networkx, f"write_{form}")(graph, f"graph.{form}")
    read = igraph.Graph.Read(f"graph.{form}")
    print(f"{form}:", *read.vs[name], *read.es["relation"], sep="; ")
    read.vs["name"] = read.vs[name]
    del read.vs["id"]
    read.write(f"back.{form}")
    back = getattr(networkx, f"read_{form}")(f"back.{form}")
    print("back:", *(data.get("name") for _, data in back.nodes(data=True)), sep="; ")

people = igraph.Graph(2, [(0, 1)], directed=True)
people.vs["name"] = ["李梅", "Ann"]
people.write("people.gml")
try:
    networkx.read_gml("people.gml")
except networkx.NetworkXError as error:
    print(error)
PROGRAM
found=$(venv/bin/python -W ignore program.py)
echo "igraph==1.0.0, networkx==3.6.1:" $found
[ "$found" = 'gml:; &#26446;&#26757;; Ben &#38; Jerry; calls them &#34;B&#38;J&#34;
back:; &#26446;&#26757;; Ben &#38; Jerry
graphml:; 李梅; Ben &#38; Jerry; calls them "B&J"
back:; 李梅; Ben &#38; Jerry
input is not ASCII-encoded' ]
