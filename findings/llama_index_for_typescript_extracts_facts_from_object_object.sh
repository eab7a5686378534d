#!/usr/bin/env bash
# @llamaindex/core 0.6.22 (npm): the model that extracts facts reads "[object Object]" for a message in parts, and is
# not told who said what.
#
# Guess: The `factExtractionBlock`, which asks for facts that the user has disclosed, shows its model the words of the
# conversation with their speakers, those of a message in parts too; and where it asks for fewer facts, it gives their
# number.
# Seen: The contents are joined as they are, so a message in parts, as those with a picture are, becomes "[object
# Object]", and an assistant's proposal stands there like the user's own words. The request to condense the facts
# says "less than {{ max_facts }} facts", as the place for the number has spaces, and is looked for without.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @llamaindex/core@0.6.22 @llamaindex/env@0.1.30 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createMemory, factExtractionBlock } from "@llamaindex/core/memory";

const asked = [];
const llm = {
  async complete({ prompt }) {
    asked.push(prompt);
    return { text: '{"facts": ["One.", "Two."]}' };
  },
};
const memoryBlocks = [factExtractionBlock({ id: "facts", priority: 1, llm, maxFacts: 1 })];
const memory = createMemory([], { tokenLimit: 10, memoryBlocks });
await memory.add({ role: "assistant", content: "Take a boat?" });
await memory.add({ role: "user", content: [{ type: "text", text: "No, I get sick on boats, so I take the train." }] });
console.log(asked[0].match(/CONVERSATION SEGMENT:\s+([^]*?)\s+EXISTING/)[1]);
console.log(asked[1].match(/less than .*/)[0]);
PROGRAM
found=$(node program.mjs)
echo "@llamaindex/core@0.6.22:" $found
[ "$found" = "Take a boat?
	[object Object]
less than {{ max_facts }} facts" ]
