#!/usr/bin/env bash
# fetch-mock-cache 3.1.0 (npm): a question about Cy is answered with the recording of one about Bob, if both end in the
# same sentence.
#
# Guess: A recording belongs to one URL. Names of files are short, so a long URL is cut and a hash of the whole is
# added, as headers and bodies have one; at the least, the URL in the file is compared before it answers.
# Seen: The file is named by the URL in 100 characters. All that follows the last dot of the URL is kept as if it were
# an extension, and the rest is cut at its end, without a hash. Of "I will cook for Cy. What does he eat?" the name is
# lost. In "auto" Cy's question is a hit and is not sent; in "replay" it is no miss; the file has the URL about Bob in
# it. A short URL, or a POST, whose body is hashed, is safe.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit fetch-mock-cache@3.1.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import createFetchCache from "fetch-mock-cache/runtimes/node";
import Store from "fetch-mock-cache/stores/fs";

const eats = { Bob: "fish", Cy: "no fish" };
const server = createServer((request, response) => {
  const name = Object.keys(eats).find((name) => request.url.includes(name));
  response.setHeader("content-type", "application/json").end(JSON.stringify({ memory: `${name} eats ${eats[name]}.` }));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const ask = async (name, mode) => {
  const fetch = createFetchCache({ Store: [Store, { location: "recordings" }], mode });
  const url = new URL(`http://127.0.0.1:${server.address().port}/v1/users/ann/memories/search`);
  url.searchParams.set("limit", "5");
  url.searchParams.set("query", `I will cook for ${name}. What does he eat, and what does he not like at all?`);
  const response = await fetch(url);
  console.log(`${mode}, of ${name}:`, (await response.json()).memory, response.headers.get("x-fmc-cache"));
};
for (const mode of ["off", "auto", "replay"]) for (const name of ["Bob", "Cy"]) await ask(name, mode);
console.log("files:", readdirSync("recordings").length);
server.close();
server.closeAllConnections();
PROGRAM
found=$(node program.mjs)
echo "fetch-mock-cache@3.1.0:" $found
[ "$found" = "off, of Bob: Bob eats fish. MISS
off, of Cy: Cy eats no fish. MISS
auto, of Bob: Bob eats fish. MISS
auto, of Cy: Bob eats fish. HIT
replay, of Bob: Bob eats fish. HIT
replay, of Cy: Bob eats fish. HIT
files: 1" ]
