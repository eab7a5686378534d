#!/usr/bin/env bash
# talkback 4.2.0 and nock 14.0.9 (npm): a JSON answer is replayed with a different id from the one that the service
# sent. If Ann's and Bob's ids of 19 digits differ only at the end, talkback answers a question about Bob with its
# recording about Ann.
#
# Guess: A recorder keeps the bytes of an answer, or at most lays out its JSON anew, with the same values. A proxy such
# as talkback serves clients in any language, so a Python client gets back the whole numbers that it got live. A request
# with another id is another request.
# Seen: Both keep the JSON as JavaScript reads it, with 53 bits for a whole number. So an id of 19 digits (such as
# Milvus's keys) is replayed as one that nobody has, and 1.0 as 1. The recording run gets the right id, so a test fails
# only in the replay. talkback compares request bodies in the same way: to it, the two ids are one, so Bob's question is
# not sent, not even while it records.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit talkback@4.2.0 nock@14.0.9 > /dev/null
cat > service.mjs <<'PROGRAM'
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

export const service = createServer(async (request, response) => {
  const id = /\d+/.exec(await text(request))[0];
  response.writeHead(200, { "content-type": "application/json" }).end(`{"about": ${id}, "owes": 1.0}`);
}).listen(0, "127.0.0.1");
await once(service, "listening");
export const live = `http://127.0.0.1:${service.address().port}`;
export const ask = async (name, url, who, id) => {
  const headers = { "content-type": "application/json", connection: "close" };
  const answer = await fetch(url, { method: "POST", headers, body: `{"user": ${id}}` });
  console.log(`${name}: ${who} is ${id}: ${(await answer.text()).replaceAll(/\s/g, "")}`);
};
PROGRAM
cat > talkback.mjs <<'PROGRAM'
import talkback from "talkback";
import { ask, live } from "./service.mjs";

for (const [name, record] of [["recording", "NEW"], ["replay", "DISABLED"]]) {
  const proxy = (talkback.default ?? talkback)({ host: live, record, port: 0, path: "tapes", silent: true });
  const server = await proxy.start();
  const url = `http://localhost:${server.address().port}`;
  await ask(`talkback, ${name}`, url, "Ann", "1234567890123456789");
  await ask(`talkback, ${name}`, url, "Bob", "1234567890123456790");
}
process.exit();
PROGRAM
cat > nock.mjs <<'PROGRAM'
import nock from "nock";
import { ask, live } from "./service.mjs";

nock.recorder.rec({ output_objects: true, dont_print: true });
await ask("nock, recording", live, "Ann", "1234567890123456789");
const file = JSON.stringify(nock.recorder.play());
nock.restore();
nock.activate();
nock.define(JSON.parse(file));
await ask("nock, replay", live, "Ann", "1234567890123456789");
process.exit();
PROGRAM
found=$(node talkback.mjs && node nock.mjs)
echo "talkback@4.2.0, nock@14.0.9:"
echo "$found"
ann="Ann is 1234567890123456789:"
bob="Bob is 1234567890123456790:"
right='{"about":1234567890123456789,"owes":1.0}'
wrong='{"about":1234567890123456800,"owes":1}'
[ "$found" = "talkback, recording: $ann $right
talkback, recording: $bob $right
talkback, replay: $ann $wrong
talkback, replay: $bob $wrong
nock, recording: $ann $right
nock, replay: $ann $wrong" ]
