#!/usr/bin/env bash
# @google/genai 2.32.0 (npm): a chat forgets the question and the streamed answer if the last chunk has no words.
#
# Guess: A chat keeps each turn that its user has seen, whether the last chunk of the stream has words, or only the
# reason for its end or the usage, as happens with Gemini's streams.
# Seen: One chunk without parts makes the whole answer count as invalid, and the question before it is left out with it:
# the next request begins with the next question. And an answer of two chunks is sent as two messages of the model.
# (Known for Go and Python: go-genai issue 795, python-genai issue 1791.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @google/genai@2.32.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { GoogleGenAI } from "@google/genai";
import { createServer } from "node:http";

const words = (text, more) => ({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...more }] });
const STOP = { finishReason: "STOP" };
const streams = {
  "words at the end": [words("Hello "), words("Ann.", STOP)],
  "a reason at the end": [words("Hello Ann."), { candidates: [{ index: 0, content: { role: "model" }, ...STOP }] }],
  "usage at the end": [words("Hello Ann.", STOP), { usageMetadata: { totalTokenCount: 9 } }],
};
let chunks;
let asked;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  asked = JSON.parse(body);
  response.setHeader("content-type", "text/event-stream");
  response.end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(""));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const ai = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl } });
for (const [name, stream] of Object.entries(streams)) {
  chunks = stream;
  const chat = ai.chats.create({ model: "gemini-2.5-flash" });
  for (const message of ["I am Ann.", "Who am I?"]) {
    for await (const chunk of await chat.sendMessageStream({ message })) void chunk;
  }
  console.log(`${name}:`, asked.contents.map(({ parts }) => parts[0].text).join(" / "));
}
server.close();
PROGRAM
found=$(node program.mjs)
echo "@google/genai@2.32.0:" $found
[ "$found" = "words at the end: I am Ann. / Hello  / Ann. / Who am I?
a reason at the end: Who am I?
usage at the end: Who am I?" ]
