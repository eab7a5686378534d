#!/usr/bin/env bash
# n3 1.26.0 and 2.13.12 (npm), pyoxigraph 0.4.11 and 0.5.13 (PyPI): after an update, n3 no longer finds who said a fact
# in a file written before, and pyoxigraph counts each saying again whenever the file is loaded again.
#
# Guess: A statement about a statement, <<:bob :likes "tea">> :saidBy :ann, is one line of Turtle. Newer versions read
# it as the older ones wrote it, or refuse it. Loading it again adds nothing, as with every fact in RDF.
# Seen: All four read it. But in RDF 1.2 the same syntax means something else: a node without a name that stands for the
# fact, and that was said by Ann. So the call that finds both speakers in n3 1 finds nobody in n3 2. Each load of the
# file makes new nodes: after two loads, pyoxigraph 0.5 counts four sayings, and 0.4 counts two. Given the old kind of
# statement, n3 2 also writes it in a form that its own parser refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit old@npm:n3@1.26.0 new@npm:n3@2.13.12 > /dev/null
cat > program.mjs <<'PROGRAM'
import { readFileSync, writeFileSync } from "node:fs";
import newer from "new";
import older from "old";

const written = ({ DataFactory: { namedNode, literal, quad }, Writer }) => {
  const fact = quad(namedNode("http://e/bob"), namedNode("http://e/likes"), literal("tea"));
  const writer = new Writer();
  for (const who of ["ann", "cy"]) writer.addQuad(fact, namedNode("http://e/saidBy"), namedNode(`http://e/${who}`));
  let text;
  writer.end((_, result) => (text = result));
  return text;
};
const finds = ({ DataFactory: { namedNode, literal, quad }, Parser, Store }, text) => {
  const store = new Store(new Parser().parse(text));
  const fact = quad(namedNode("http://e/bob"), namedNode("http://e/likes"), literal("tea"));
  const said = store.getQuads(fact, namedNode("http://e/saidBy"), null);
  return said.map(({ object }) => object.value.slice("http://e/".length));
};
writeFileSync("notes.ttl", written(older));
const text = readFileSync("notes.ttl", "utf8");
console.log("n3 1:", ...finds(older, text).sort());
console.log("n3 2:", ...finds(newer, text).sort());
try {
  finds(newer, written(newer));
} catch (error) {
  console.log("n3 2 of n3 2:", error.message);
}
PROGRAM
cat > program.py <<'PROGRAM'
import pyoxigraph

store = pyoxigraph.Store()
for _ in range(2):
    store.load(path="notes.ttl", format=pyoxigraph.RdfFormat.TURTLE)
said = list(store.query("SELECT ?who WHERE { ?fact <http://e/saidBy> ?who }"))
print(f"pyoxigraph {pyoxigraph.__version__}:", len(said))
PROGRAM
found=$(node program.mjs)
for version in 0.4.11 0.5.13; do
    python3 -m venv "venv-$version"
    "venv-$version/bin/pip" install --quiet --disable-pip-version-check pyoxigraph==$version
    found+=$'\n'$("venv-$version/bin/python" program.py)
done
echo "$found"
[ "$found" = "n3 1: ann cy
n3 2:
n3 2 of n3 2: Disallowed triple term as subject on line 1.
pyoxigraph 0.4.11: 2
pyoxigraph 0.5.13: 4" ]
