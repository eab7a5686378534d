#!/usr/bin/env bash
# @claude-flow/memory 3.0.0-alpha.25 (npm): after old notes are deleted, the search by meaning no longer finds most of
# the remaining ones, not even by their own words.
#
# Guess: `delete` takes a note out of the index, and the others are found as before. A smaller index is easier to
# search, and a search for 5 of 50 notes returns 5.
# Seen: The index is a graph (HNSW). A deleted note takes its edges with it, and nothing joins its neighbours to each
# other. With a thousand notes, each of the last 50 is found by its own words. After the other 950 are deleted, as in a
# program that keeps only the last few days, 15 of the 50 are found. `count` and `query`, which read the table, still
# have all 50. `compactHnsw` of the consolidator rebuilds the graph, and they are found again; it is off by default.
# (The numbers depend on random levels, here with a fixed seed; with other seeds they were 3 to 16.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --ignore-scripts --omit=optional \
    @claude-flow/memory@3.0.0-alpha.25 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createEmbeddingService } from "@claude-flow/memory";

let seed = 1;
Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
const vectors = new Map();
const embed = async (text) => {
  if (!vectors.has(text)) vectors.set(text, Float32Array.from({ length: 16 }, () => Math.random() * 2 - 1));
  return vectors.get(text);
};
const memory = createEmbeddingService(embed, 16);
await memory.initialize();
const texts = Array.from({ length: 1000 }, (_, number) => `Note ${number}.`);
const ids = [];
for (const content of texts) ids.push((await memory.storeEntry({ key: content, content, namespace: "ann" })).id);

const show = async (when) => {
  let found = 0;
  for (const text of texts.slice(950)) {
    const entries = await memory.semanticSearch(text, 5);
    found += entries.some(({ entry }) => entry.content === text);
  }
  console.log(`${when}: ${found} of the last 50 are found, ${await memory.count()} are stored`);
};
await show("before");
for (const id of ids.slice(0, 950)) await memory.delete(id);
await show("after");
await (await memory.getConsolidator()).compactHnsw();
await show("built anew");
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@claude-flow/memory@3.0.0-alpha.25:"
echo "$found"
[ "$found" = "before: 50 of the last 50 are found, 1000 are stored
after: 15 of the last 50 are found, 50 are stored
built anew: 50 of the last 50 are found, 50 are stored" ]
