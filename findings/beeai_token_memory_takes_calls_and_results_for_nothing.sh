#!/usr/bin/env bash
# beeai-framework 0.1.30 (npm): its `TokenMemory` counts what people say, and neither a call of a tool nor its result.
#
# Guess: "TokenMemory" keeps a conversation within `maxTokens`, so with 100 tokens the result of a tool of 1,250 tokens
# is refused, as a user's message of that length is, or pushes others out.
# Seen: A message counts as the text in it, and a call or a result is no text. Fifty calls with results of 1,250
# tokens each fit into a memory of 100 tokens, which says that it uses 16 of them. And `capacityThreshold`, with which
# half of the limit should stay free, is read by nothing: messages of a user fill 99 of 100.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps beeai-framework@0.1.30 zod@3.25.76 > /dev/null
cat > program.mjs <<'PROGRAM'
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "beeai-framework/backend/message";
import { TokenMemory } from "beeai-framework/memory/tokenMemory";

const long = "word ".repeat(1000);
const kept = (memory) => `${memory.stats().messagesCount} messages, ${memory.stats().tokensUsed} tokens`;
const tools = new TokenMemory({ maxTokens: 100, capacityThreshold: 0.5 });
await tools.add(new SystemMessage("Look it up."));
for (let number = 0; number < 50; number += 1) {
  const call = { toolCallId: `call${number}`, toolName: "look" };
  await tools.add(new AssistantMessage([{ type: "tool-call", ...call, args: { where: long } }]));
  await tools.add(new ToolMessage([{ type: "tool-result", ...call, output: { type: "text", value: long } }]));
}
console.log("calls and results:", kept(tools));
const talk = new TokenMemory({ maxTokens: 100, capacityThreshold: 0.5 });
for (let number = 10; number < 50; number += 1) {
  await talk.add(new UserMessage(`${"word ".repeat(8)}${number}`));
}
console.log("a talk:", kept(talk));
await talk.add(new UserMessage(long)).catch((error) => console.log(error.message));
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "beeai-framework@0.1.30:" $found
[ "$found" = "calls and results: 101 messages, 16 tokens
a talk: 9 messages, 99 tokens
Retrieved message (1251 tokens) cannot fit inside current memory (100 tokens)" ]
