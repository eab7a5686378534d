#!/usr/bin/env bash
# @modelcontextprotocol/server-memory 2026.8.31 (npm): a fact about somebody whom it has already is dropped, and by two
# words it finds nobody.
#
# Guess: `create_entities` adds the observations to an entity of that name, or refuses it, so that the model adds them
# otherwise. `search_nodes` takes "a query", as its description says, and finds Ann, who lives in Oslo, by "Ann Oslo".
# Seen: An entity of a known name is left out together with its observations, and the answer is no error, but a list of
# those that are new. Of two additions, the one to Ann is not made if the other one is to somebody unknown. The query is
# one piece of text that has to stand in a name, a type or a single observation: by her name and her city, by a question
# or by a relation, Ann is not found. (The README says that entities with existing names are ignored. The model, which
# reads the descriptions of the tools, is not told.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @modelcontextprotocol/server-memory@2026.8.31 \
    @modelcontextprotocol/sdk@1.32.2 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "model", version: "1.0.0" });
const args = ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"];
const env = { ...process.env, MEMORY_FILE_PATH: `${process.cwd()}/memory.jsonl` };
await client.connect(new StdioClientTransport({ command: "node", args, env, stderr: "ignore" }));
const call = async (name, given) => client.callTool({ name, arguments: given });
const create = async (...observations) => {
  const told = await call("create_entities", { entities: [{ name: "Ann", entityType: "person", observations }] });
  return told.isError ? "an error" : `${told.structuredContent.entities.length} new`;
};
const known = async () => {
  const { structuredContent } = await call("open_nodes", { names: ["Ann"] });
  return structuredContent.entities[0].observations.join(", ");
};
console.log("created:", await create("lives in Oslo", "likes tea"), "| known:", await known());
console.log("created:", await create("is allergic to nuts"), "| known:", await known());
const contents = ["is allergic to nuts"];
const observations = [{ entityName: "Ann", contents }, { entityName: "Bob", contents }];
const told = await call("add_observations", { observations });
console.log("added:", told.isError ? "an error" : "no error", "| known:", await known());
await call("create_relations", { relations: [{ from: "Ann", to: "Ann", relationType: "pays for" }] });
for (const query of ["Oslo", "Ann", "Ann Oslo", "Ann lives in Oslo", "Where does Ann live?", "pays for"]) {
  const { structuredContent } = await call("search_nodes", { query });
  console.log(`${query}: ${structuredContent.entities.length}`);
}
await client.close();
PROGRAM
found=$(node program.mjs)
echo "@modelcontextprotocol/server-memory@2026.8.31:" $found
[ "$found" = "created: 1 new | known: lives in Oslo, likes tea
created: 0 new | known: lives in Oslo, likes tea
added: an error | known: lives in Oslo, likes tea
Oslo: 1
Ann: 1
Ann Oslo: 0
Ann lives in Oslo: 0
Where does Ann live?: 0
pays for: 0" ]
