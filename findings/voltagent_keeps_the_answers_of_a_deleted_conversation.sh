#!/usr/bin/env bash
# @voltagent/core 2.10.0 (npm): after `deleteConversation`, the answers and calls of tools can still be read.
#
# Guess: `deleteConversation` leaves nothing of a conversation, as it deletes its messages and their vectors;
# `deleteMessages` leaves nothing of the messages.
# Seen: An agent also keeps each answer, and each call of a tool with its result, as a step of the conversation. Neither
# of the two deletes a step: `getConversationSteps` gives the PIN that the model repeated. `clearMessages` does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @voltagent/core@2.10.0 ai@6.0.326 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Agent, InMemoryStorageAdapter, Memory } from "@voltagent/core";
import { MockLanguageModelV3 } from "ai/test";

const content = [{ type: "text", text: "Your PIN is 4711." }];
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = new MockLanguageModelV3({
  doGenerate: async () => ({ content, usage, finishReason: { unified: "stop" }, warnings: [] }),
});
const deletions = {
  deleteMessages: async (memory, ids) => memory.deleteMessages(ids, "ann", "talk"),
  deleteConversation: async (memory) => memory.deleteConversation("talk"),
  clearMessages: async (memory) => memory.clearMessages("ann", "talk"),
};
for (const [name, deletion] of Object.entries(deletions)) {
  const memory = new Memory({ storage: new InMemoryStorageAdapter() });
  const agent = new Agent({ name: "desk", instructions: "Help.", model, memory });
  await agent.generateText("My PIN is 4711.", { userId: "ann", conversationId: "talk" });
  await agent.getMemoryManager().flushPendingWrites?.();
  while ((await memory.getConversationSteps("ann", "talk")).length === 0) {
    await new Promise(setImmediate);
  }
  await deletion(memory, (await memory.getMessages("ann", "talk")).map(({ id }) => id));
  const messages = await memory.getMessages("ann", "talk");
  const steps = await memory.getConversationSteps("ann", "talk");
  console.log(`${name}: ${messages.length} messages,`, steps.map((step) => step.content).join() || "nothing");
}
process.exit();
PROGRAM
found=$(timeout 60 node program.mjs 2> /dev/null)
echo "@voltagent/core@2.10.0:" $found
[ "$found" = "deleteMessages: 0 messages, Your PIN is 4711.
deleteConversation: 0 messages, Your PIN is 4711.
clearMessages: 0 messages, nothing" ]
