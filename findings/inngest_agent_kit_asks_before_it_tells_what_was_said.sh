#!/usr/bin/env bash
# @inngest/agent-kit 0.13.2 (npm): the new question stands before the talk that it follows, and of what a network keeps,
# the user's words are missing.
#
# Guess: A state with the messages of a talk, or with the results of its last runs, gives an agent a memory: the model
# is sent the talk, then the new question. A state that goes through all runs has the whole talk.
# Seen: The question comes first, then the talk, so the request ends with an old answer, which is the beginning of the
# next one for some endpoints. Results are what agents said: "I live in Oslo." is in none of them, so the model is asked
# where the user lives, and then shown two of its own answers. (A comment in the code says that messages are "added
# after the system and user prompt".)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @inngest/agent-kit@0.13.2 inngest@4.24.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createAgent, createNetwork, createState, openai } from "@inngest/agent-kit";
import { createServer } from "node:http";

let asked;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  asked = JSON.parse(body).messages.map(({ role, content }) => `${role}: ${content}`);
  const message = { role: "assistant", content: "Noted." };
  const answer = { id: "a", object: "chat.completion", created: 1, model: "m" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ...answer, choices: [{ index: 0, finish_reason: "stop", message }] }));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
const desk = createAgent({ name: "desk", system: "Help.", model: openai({ model: "m", apiKey: "key", baseUrl }) });
const network = createNetwork({
  name: "office",
  agents: [desk],
  router: ({ callCount }) => (callCount === 0 ? desk : undefined),
});
const messages = [
  { type: "text", role: "user", content: "I live in Oslo." },
  { type: "text", role: "assistant", content: "Noted." },
];
await network.run("Where do I live?", { state: createState({}, { messages }) });
console.log("messages:", asked.join(" "));
const state = createState({});
for (const text of ["I live in Oslo.", "I have a cat.", "Where do I live?"]) {
  await network.run(text, { state });
}
console.log("one state:", asked.join(" "));
const { results } = state;
await network.run("Where do I live?", { state: createState({}, { results }) });
console.log("results:", asked.join(" "));
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@inngest/agent-kit@0.13.2:" $found
[ "$found" = "messages: system: Help. user: Where do I live? user: I live in Oslo. assistant: Noted.
one state: system: Help. user: Where do I live? assistant: Noted. assistant: Noted.
results: system: Help. user: Where do I live? assistant: Noted. assistant: Noted. assistant: Noted." ]
