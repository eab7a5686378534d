#!/usr/bin/env bash
# @modelcontextprotocol/server-memory 2026.8.31 (npm): of the notes that a model makes at once, it loses some.
#
# Guess: A model that notes four people by four calls in one answer, which clients run side by side, has four people in
# its knowledge graph; a call whose note could not be kept is an error.
# Seen: Each call reads the whole file and writes it back, and nothing keeps them apart. All four answer that the person
# was created, and the graph has fewer than four. Facts about one of its nodes are lost alike. The same calls, one after
# the other, keep everything.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @modelcontextprotocol/server-memory@2026.8.31 \
    @modelcontextprotocol/sdk@1.32.2 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const people = ["Ann", "Bob", "Cy", "Dan"];

for (const together of [true, false]) {
  const client = new Client({ name: "client", version: "1.0.0" });
  const env = { ...process.env, MEMORY_FILE_PATH: `${process.cwd()}/${together}.jsonl` };
  const args = ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"];
  await client.connect(new StdioClientTransport({ command: "node", args, env, stderr: "ignore" }));
  const call = async (name, values) => (await client.callTool({ name, arguments: values })).structuredContent;
  const run = async (calls) => {
    if (together) return Promise.all(calls.map((one) => call(...one)));
    const results = [];
    for (const one of calls) results.push(await call(...one));
    return results;
  };
  const note = (name, entityType) => ["create_entities", { entities: [{ name, entityType, observations: [] }] }];
  const fact = (name) => ["add_observations", { observations: [{ entityName: "Club", contents: [`${name} came`] }] }];
  await call(...note("Club", "group"));
  const created = (await run(people.map((name) => note(name, "person")))).flatMap((result) => result.entities);
  const added = (await run(people.map(fact))).flatMap((result) => result.results);
  const { entities } = await call("read_graph", {});
  const facts = entities.find((entity) => entity.name === "Club").observations;
  console.log(
    together ? "together:" : "one by one:",
    `created ${created.length}, all kept ${entities.length === 5};`,
    `noted ${added.length}, all kept ${facts.length === 4}`,
  );
  await client.close();
}
PROGRAM
found=$(node program.mjs)
echo "@modelcontextprotocol/server-memory@2026.8.31:" $found
[ "$found" = "together: created 4, all kept false; noted 4, all kept false
one by one: created 4, all kept true; noted 4, all kept true" ]
