#!/usr/bin/env bash
# openai 7.59.0 (npm): of a reasoning that comes in a stream, the message has the last piece, and `runTools` sends none
# of it back to the model.
#
# Guess: A stream is put together to the message that the same endpoint sends in one piece, also in members that OpenAI
# does not have: `reasoning_content` of DeepSeek, vLLM and others is text, and is joined, as the content is, and as the
# client for Python joins it. After a call of a tool, the model gets its message back as it was.
# Seen: Of a member that is not known, each piece takes the place of the last one: "tomorrow." is left of the reasoning,
# and the second of two sources. `runTools` leaves such members out of what it sends, with a stream and without,
# though models that reason between calls want them back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit openai@7.59.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import OpenAI from "openai";
import { createServer } from "node:http";

const tool_calls = [{ index: 0, id: "call", type: "function", function: { name: "weather", arguments: "{}" } }];
const pieces = [
  { role: "assistant", content: null, reasoning_content: "She asks ", sources: ["one"] },
  { reasoning_content: "about ", sources: ["two"] },
  { reasoning_content: "tomorrow." },
  { tool_calls },
];
const whole = { ...pieces[0], reasoning_content: "She asks about tomorrow.", sources: ["one", "two"], tool_calls };
let asked;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  asked = JSON.parse(body);
  const message = asked.messages.length > 1 ? { role: "assistant", content: "Rain." } : whole;
  const data = { id: "answer", created: 1, model: "model" };
  if (!asked.stream) {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...data, choices: [{ index: 0, message, finish_reason: "stop" }] }));
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  for (const delta of [...(message === whole ? pieces : [message]), {}]) {
    const finish_reason = Object.keys(delta).length ? null : "stop";
    response.write(`data: ${JSON.stringify({ ...data, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const { completions } = new OpenAI({ apiKey: "key", baseURL: `http://127.0.0.1:${server.address().port}` }).chat;
const show = (name, { reasoning_content, sources }) => console.log(`${name}: ${reasoning_content} / ${sources}`);
const question = { model: "model", messages: [{ role: "user", content: "Will it rain tomorrow?" }] };
show("in one piece", (await completions.create(question)).choices[0].message);
show("from a stream", await completions.stream(question).finalMessage());
const weather = { name: "weather", description: "", parameters: {}, function: () => "Rain.", parse: JSON.parse };
for (const stream of [false, true]) {
  await completions.runTools({ ...question, stream, tools: [{ type: "function", function: weather }] }).done();
  show(`sent back, stream ${stream}`, asked.messages[1]);
}
server.close();
PROGRAM
found=$(node program.mjs)
echo "openai@7.59.0:" $found
[ "$found" = "in one piece: She asks about tomorrow. / one,two
from a stream: tomorrow. / two
sent back, stream false: undefined / undefined
sent back, stream true: undefined / undefined" ]
