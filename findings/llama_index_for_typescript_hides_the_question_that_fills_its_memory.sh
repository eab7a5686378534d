#!/usr/bin/env bash
# @llamaindex/core 0.6.22 (npm): with a block for facts, the user's message that exceeds the short-term limit is not
# shown to the model that should answer it; if the facts could not be extracted, nothing is shown at all.
#
# Guess: A memory with a `factExtractionBlock` turns the oldest messages into facts once they no longer fit, and shows
# the facts and the newest messages; if the model that extracts them cannot be reached, the messages stay until it can.
# Seen: All messages go to the block, the one that was just added among them, and count as processed, also if the block
# failed, which is only logged. So the model is shown the facts alone, without the question; after the failure an empty
# list of facts, and the talk so far is in neither.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @llamaindex/core@0.6.22 @llamaindex/env@0.1.30 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createMemory, factExtractionBlock } from "@llamaindex/core/memory";

const logger = { log() {}, warn() {}, error() {} };
const models = {
  reached: { complete: async () => ({ text: '{"facts": ["Ann has a boat."]}' }) },
  "not reached": { complete: () => Promise.reject(new Error("not reached")) },
};
const talk = [
  ["user", "I am Ann, and I have a boat in the harbour of Oslo."],
  ["assistant", "How nice. Do you sail often with it in the summer?"],
  ["user", "Every week, from May on. When should I take it out of the water for the winter, and where to?"],
];
for (const [name, llm] of Object.entries(models)) {
  const memoryBlocks = [factExtractionBlock({ id: "facts", priority: 1, llm, maxFacts: 10 })];
  const memory = createMemory([], { tokenLimit: 60, memoryBlocks, logger });
  for (const [role, content] of talk) {
    await memory.add({ role, content });
    const shown = (await memory.getLLM()).map(({ role, content }) => `${role} "${content.slice(0, 15)}"`);
    console.log(`${name}:`, ...shown);
  }
}
PROGRAM
found=$(node program.mjs)
echo "@llamaindex/core@0.6.22:" $found
[ "$found" = 'reached: memory "" user "I am Ann, and I"
reached: memory "" user "I am Ann, and I" assistant "How nice. Do yo"
reached: memory "Ann has a boat."
not reached: memory "" user "I am Ann, and I"
not reached: memory "" user "I am Ann, and I" assistant "How nice. Do yo"
not reached: memory ""' ]
