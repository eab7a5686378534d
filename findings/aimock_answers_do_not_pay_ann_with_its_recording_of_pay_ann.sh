#!/usr/bin/env bash
# @copilotkit/aimock 1.43.0 (npm): a question that contains an earlier one gets the earlier one's recorded answer, so
# "Please do not pay Ann." is answered like "pay Ann", and its own answer is never recorded.
#
# Guess: A recorder stores an answer with its question and replays it for the same question in the same talk. It sends a
# question that it has not recorded to the model. The rule that `userMessage` matches any part of a question is for
# hand-written fixtures.
# Seen: Recorded fixtures follow that rule too, both while recording and in a replay. Of four questions, two reach the
# model: 300 gets the answer for 3, and a no gets the answer for a yes. The earlier messages and the system prompt
# are not compared either. (The manual describes the rule, and an exact match for programs that set a
# `requestTransform`. Upstream knows that calls with one question and several system prompts collide: issue 185.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @copilotkit/aimock@1.43.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { LLMock } from "@copilotkit/aimock";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const asked = [];
const model = createServer(async (request, response) => {
  const question = (await json(request)).messages.at(-1).content;
  asked.push(question);
  const message = { role: "assistant", content: `You said: ${question}` };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message }] }));
}).listen(0, "127.0.0.1");
await once(model, "listening");
const openai = `http://127.0.0.1:${model.address().port}`;

const run = async (name, options) => {
  const mock = new LLMock({ port: 0, ...options });
  if (!options.record) mock.loadFixtureDir("recorded");
  await mock.start();
  for (const content of ["pay Ann", "Please do not pay Ann.", "Bob owes 3", "Bob owes 300"]) {
    const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${mock.url}/v1/chat/completions`, { method: "POST", headers, body });
    console.log(`${name}: ${content} -> ${(await answer.json()).choices[0].message.content}`);
  }
  await mock.stop();
};
await run("recording", { record: { providers: { openai }, fixturePath: "recorded" } });
console.log("the model was asked:", asked.join(", "));
await run("replay", {});
process.exit();
PROGRAM
found=$(node program.mjs)
echo "@copilotkit/aimock@1.43.0:"
echo "$found"
[ "$found" = "recording: pay Ann -> You said: pay Ann
recording: Please do not pay Ann. -> You said: pay Ann
recording: Bob owes 3 -> You said: Bob owes 3
recording: Bob owes 300 -> You said: Bob owes 3
the model was asked: pay Ann, Bob owes 3
replay: pay Ann -> You said: pay Ann
replay: Please do not pay Ann. -> You said: pay Ann
replay: Bob owes 3 -> You said: Bob owes 3
replay: Bob owes 300 -> You said: Bob owes 3" ]
