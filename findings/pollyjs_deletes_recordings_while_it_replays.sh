#!/usr/bin/env bash
# @pollyjs/core 6.0.6 (npm): one request that is not in the recording makes a replay ask the server, and delete the
# recordings of all requests that this run did not make.
#
# Guess: In the mode "replay" the file is read: a request that is in it is answered from it, and another one is an
# error. At the least, the file has more in it afterwards, not less.
# Seen: By default a request that is missing is sent (`recordIfMissing`), with the key, and recorded; and whoever
# records keeps what this run asked for alone (`keepUnusedRequests`). Headers are compared, so a client of a newer
# version, which says so in a header, is missing: the model is asked and paid, and of three recordings none is left. A
# run that misses nothing leaves the file as it is. (Both defaults are in its manual, each for itself.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @pollyjs/core@6.0.6 @pollyjs/adapter-fetch@6.0.7 \
    @pollyjs/persister-fs@6.0.6 > /dev/null
cat > program.mjs <<'PROGRAM'
import FetchAdapter from "@pollyjs/adapter-fetch";
import { Polly } from "@pollyjs/core";
import FSPersister from "@pollyjs/persister-fs";
import { createServer } from "node:http";
import { readFileSync, readdirSync } from "node:fs";

Polly.register(FetchAdapter);
Polly.register(FSPersister);
let asked = 0;
const server = createServer(async (request, response) => {
  for await (const _ of request);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ answer: ++asked }));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/v1/chat`;

async function run(name, mode, questions, version) {
  asked = 0;
  const persisterOptions = { fs: { recordingsDir: "recordings" } };
  const polly = new Polly("talk", { mode, adapters: ["fetch"], persister: "fs", persisterOptions, logLevel: "silent" });
  for (const question of questions) {
    const headers = { "content-type": "application/json", "x-client-version": version };
    await (await fetch(url, { method: "POST", headers, body: JSON.stringify({ question }) })).json();
  }
  await polly.stop();
  const [place] = readdirSync("recordings");
  const { entries } = JSON.parse(readFileSync(`recordings/${place}/recording.har`)).log;
  const kept = entries.map(({ request }) => JSON.parse(request.postData.text).question);
  console.log(`${name}: asked ${asked}; in the file: ${kept.join(" ")}`);
}

await run("recorded", "record", ["one", "two", "three"], "1");
await run("replayed", "replay", ["two"], "1");
await run("replayed by a newer client", "replay", ["two"], "2");
await run("replayed by the old one", "replay", ["one", "two", "three"], "1");
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@pollyjs/core@6.0.6:" $found
[ "$found" = "recorded: asked 3; in the file: one two three
replayed: asked 0; in the file: one two three
replayed by a newer client: asked 1; in the file: two
replayed by the old one: asked 3; in the file: one two three" ]
