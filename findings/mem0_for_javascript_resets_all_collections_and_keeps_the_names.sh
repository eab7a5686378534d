#!/usr/bin/env bash
# mem0ai 3.3.1 (npm, with libsql 0.5.29 in place of better-sqlite3): two collections of its default store are one,
# `reset()` of one empties both, and after a restart it leaves people's names behind.
#
# Guess: `collectionName` keeps two memories apart, as it does in Qdrant or Chroma. The provider "memory" holds its
# vectors in memory. After `reset()`, nothing of a memory is left.
# Seen: "memory" is the file ~/.mem0/vector_store.db, with one table and without the name of a collection. So a search
# in the family's memory finds the same user's note from work, and a reset of the family's memory deletes the notes from
# work. A second file holds the people, things and places in the notes. In a new program, which has not opened that file
# yet, `reset()` passes it over, and "Ann Smith" stays. (Upstream knows that the name of the collection is ignored.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps --ignore-scripts mem0ai@3.3.1 \
    better-sqlite3@npm:libsql@0.5.29 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createServer } from "node:http";
import { Memory } from "mem0ai/oss";

const words = ["rent", "cat"];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const vector = (text) => [...words.map((word) => (text.includes(word) ? 1 : 0)), 0.1];
  const data = [JSON.parse(body).input].flat().map((text, index) => ({ index, embedding: vector(text) }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "list", data }));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const config = { apiKey: "none", baseURL: `http://127.0.0.1:${server.address().port}/v1`, model: "words" };
const open = (collectionName) =>
  new Memory({
    disableHistory: true,
    embedder: { provider: "openai", config: { ...config, embeddingDims: 3 } },
    llm: { provider: "openai", config },
    vectorStore: { provider: "memory", config: { collectionName, dimension: 3 } },
  });
const [work, family] = [open("work"), open("family")];
if (process.argv[2] === "add") {
  const { results } = await work.add("The rent is late.", { userId: "ann", infer: false });
  await work.update(results[0].id, { text: "He gave Ann Smith rent." });
  await family.add("The cat is old.", { userId: "ann", infer: false });
  const found = await family.search("Who pays the rent?", { filters: { user_id: "ann" } });
  console.log("family finds:", found.results[0].memory);
} else {
  await family.reset();
  console.log("work has:", (await work.getAll({ filters: { user_id: "ann" } })).results.length);
}
process.exit();
PROGRAM
cat > look.py <<'PROGRAM'
import json
import pathlib
import sqlite3

for file in sorted(pathlib.Path("home/.mem0").glob("*.db")):
    rows = sqlite3.connect(file).execute("SELECT payload FROM vectors ORDER BY rowid")
    print(f"{file.name}:", *(json.loads(payload)["data"] for (payload,) in rows))
PROGRAM
export HOME="$folder/home" MEM0_TELEMETRY=false
mkdir "$HOME"
found=$(node program.mjs add 2> /dev/null; node program.mjs reset 2> /dev/null; python3 look.py)
echo "$found"
[ "$found" = "family finds: He gave Ann Smith rent.
work has: 0
vector_store.db:
vector_store_entities.db: Ann Smith" ]
