#!/usr/bin/env bash
# @ai-sdk-tools/agents 1.2.0 with @ai-sdk-tools/memory 1.2.0 and ai 5.0.277 (npm): a memory with a limit of fifty
# messages shows the model five, and in the third turn they begin with a tool result whose call is not among them.
#
# Guess: `history: { limit: 50 }` is the number of messages that the store adds to each new question. The type of
# `lastMessages` says that its default is ten. A call and its result are shown together or not at all.
# Seen: The agent loads the history and cuts it to five messages, including the new question; to ten, if it can hand
# over to other agents. In the third turn Ann's first sentence is gone, and the request begins with a tool result, which
# providers refuse: at OpenAI, a tool message must follow its call. The store has the whole talk, and with
# `lastMessages: 50` the model sees it. (Upstream has an open change, number 120, for the result without its call.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @ai-sdk-tools/agents@1.2.0 @ai-sdk-tools/memory@1.2.0 \
    ai@5.0.277 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Agent } from "@ai-sdk-tools/agents";
import { InMemoryProvider } from "@ai-sdk-tools/memory/in-memory";
import { tool } from "ai";
import { z } from "zod";

const look = tool({ description: "Looks.", inputSchema: z.object({}), execute: async () => "Room 12." });
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
let shown;
const doStream = async ({ prompt }) => {
  shown = prompt.map(({ role, content }) => {
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return `${role}: ${parts.map((part) => (part.type === "text" ? part.text : part.type)).join(" ")}`;
  });
  const called = prompt.at(-1).role === "user" && prompt.length === 2;
  const answer = called
    ? [{ type: "tool-call", toolCallId: "1", toolName: "look", input: "{}" }]
    : [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Yes." }, { type: "text-end", id: "1" }];
  const finish = { type: "finish", finishReason: called ? "tool-calls" : "stop", usage };
  return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...answer, finish]) };
};
const model = { specificationVersion: "v2", provider: "none", modelId: "none", supportedUrls: {}, doStream };
const context = { chatId: "one", userId: "ann", metadata: { chatId: "one", userId: "ann" } };
for (const lastMessages of [undefined, 50]) {
  const provider = new InMemoryProvider();
  const memory = { provider, history: { enabled: true, limit: 50 } };
  const agent = new Agent({ name: "agent", model, instructions: "Help.", tools: { look }, memory, lastMessages });
  for (const text of ["I am Ann. Where is Bob?", "Is he well?", "Who am I?"]) {
    const message = { id: text, role: "user", parts: [{ type: "text", text }] };
    await agent.toUIMessageStream({ message, context }).text();
    const stored = async () => (await provider.getMessages({ chatId: "one" })).some(({ id }) => id === text);
    while (!(await stored())) await new Promise(setImmediate);
  }
  console.log(`lastMessages ${lastMessages}:`, shown.join(" | "));
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@ai-sdk-tools/agents@1.2.0:"
echo "$found"
[ "$found" = "lastMessages undefined: system: Help. | tool: tool-result | assistant: Yes. | user: Is he well? \
| assistant: Yes. | user: Who am I?
lastMessages 50: system: Help. | user: I am Ann. Where is Bob? | assistant: tool-call | tool: tool-result \
| assistant: Yes. | user: Is he well? | assistant: Yes. | user: Who am I?" ]
