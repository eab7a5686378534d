#!/usr/bin/env bash
# @mastra/memory 1.31.0 with the store in memory of @mastra/core 1.71.0 (npm): of messages with one time, it takes the
# oldest for the newest, and shows them backwards.
#
# Guess: `lastMessages: 4` shows the newest four messages in the order in which they were saved, also in a chat whose
# export has times without seconds, so that six messages share one.
# Seen: `recall` takes the first four of the six and turns them round: answers stand before their questions, and what
# was said last is not shown. Without a limit all six come in order. With times that differ, the newest four do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 @mastra/memory@1.31.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";

const memory = new Memory({ storage: new InMemoryStore(), options: { lastMessages: 4 } });
for (const [threadId, seconds] of [["one minute", 0], ["apart", 5]]) {
  await memory.createThread({ resourceId: "ann", threadId });
  const messages = [1, 2, 3, 4, 5, 6].map((number) => ({
    id: `${threadId}-${number}`,
    role: number % 2 ? "user" : "assistant",
    threadId,
    resourceId: "ann",
    createdAt: new Date(Date.UTC(2024, 4, 1, 20, 15, number * seconds)),
    content: { format: 2, parts: [{ type: "text", text: `m${number}` }] },
  }));
  await memory.saveMessages({ messages });
  for (const options of [{ perPage: false }, {}]) {
    const found = await memory.recall({ threadId, resourceId: "ann", ...options });
    console.log(`${threadId}:`, ...found.messages.map((message) => message.content.parts[0].text));
  }
}
PROGRAM
found=$(node program.mjs)
echo "@mastra/memory@1.31.0:" $found
[ "$found" = "one minute: m1 m2 m3 m4 m5 m6
one minute: m4 m3 m2 m1
apart: m1 m2 m3 m4 m5 m6
apart: m3 m4 m5 m6" ]
