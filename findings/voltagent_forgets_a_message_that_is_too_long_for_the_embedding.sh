#!/usr/bin/env bash
# @voltagent/core 2.10.0 (npm): with vectors, a message that cannot be embedded is not in the history, and no error says
# so.
#
# Guess: Vectors add a search to a memory. Where they fail, as they do for a text beyond the limit of their model, or in
# an hour without that service, the talk is kept as without them: the library says so itself where it reads ("returning
# recent messages only").
# Seen: A message is embedded first and stored afterwards, so a failed embedding keeps it out. The agent answers the
# contract of 9,000 signs that the user pasted; in the next turn neither the model nor the history has it, while the
# answer to it is there. It is written in the background, so `generateText` does not fail.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @voltagent/core@2.10.0 ai@6.0.326 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { setTimeout } from "node:timers/promises";
import { Agent, InMemoryStorageAdapter, InMemoryVectorAdapter, Memory } from "@voltagent/core";
import { MockLanguageModelV3 } from "ai/test";

const embed = async (text) => {
  if (text.length > 8000) throw new Error("400: The text has more tokens than this model can embed.");
  return [1, 1, 1];
};
const embedBatch = (texts) => Promise.all(texts.map(embed));
const embedding = { embed, embedBatch, getDimensions: () => 3, getModelName: () => "small" };
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const content = [{ type: "text", text: "I have read it." }];
const textOf = (message) => (message.parts ?? message.content).map((part) => part.text).join("");
const short = (text) => (text.length > 40 ? `(${text.length} signs)` : text);
for (const vectors of [{}, { embedding, vector: new InMemoryVectorAdapter() }]) {
  let asked;
  const doGenerate = async ({ prompt }) => {
    asked = prompt.filter((message) => message.role === "user").map((message) => short(textOf(message)));
    return { content, usage, finishReason: { unified: "stop" }, warnings: [] };
  };
  const memory = new Memory({ storage: new InMemoryStorageAdapter(), ...vectors });
  const model = new MockLanguageModelV3({ doGenerate });
  const agent = new Agent({ name: "desk", instructions: "Help.", model, memory });
  for (const text of ["Here is my contract.", "The rent is 900. ".repeat(530), "What is the rent?"]) {
    await agent.generateText(text, { userId: "ann", conversationId: "talk" });
    await setTimeout(1000); // what is kept is written in the background
  }
  console.log(vectors.vector ? "with vectors:" : "without vectors:", asked.join(" / "));
  const kept = await memory.getMessages("ann", "talk");
  console.log(`kept: ${kept.length} messages, of the user`, kept.filter((message) => message.role === "user").length);
}
process.exit();
PROGRAM
found=$(timeout 120 node program.mjs 2> /dev/null | grep -E "^(with|kept)")
echo "@voltagent/core@2.10.0:" $found
[ "$found" = "without vectors: Here is my contract. / (9010 signs) / What is the rent?
kept: 6 messages, of the user 3
with vectors: Here is my contract. / What is the rent?
kept: 5 messages, of the user 2" ]
