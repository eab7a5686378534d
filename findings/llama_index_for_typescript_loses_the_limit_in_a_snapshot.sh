#!/usr/bin/env bash
# @llamaindex/core 0.6.22 (npm): a memory that is loaded from its snapshot has another token limit than it had.
#
# Guess: `loadMemory(memory.snapshot())` shows the model what the memory showed it before: its messages within its
# limit. `loadMemory` even reads a `tokenLimit` out of the snapshot, for where its options name none.
# Seen: `snapshot` writes none. The loaded memory has the default limit of 30,000, so that after a restart the model
# is sent the whole talk instead of its newest three messages.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @llamaindex/core@0.6.22 @llamaindex/env@0.1.30 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createMemory, loadMemory } from "@llamaindex/core/memory";

const memory = createMemory({ tokenLimit: 60 });
for (let number = 1; number <= 20; number++) {
  const role = number % 2 ? "user" : "assistant";
  await memory.add({ role, content: `This is message ${number} of a long talk of two.` });
}
for (const one of [memory, loadMemory(memory.snapshot()), loadMemory(memory.snapshot(), { tokenLimit: 60 })]) {
  console.log((await one.getLLM()).length, "of", (await one.get()).length);
}
PROGRAM
found=$(node program.mjs)
echo "@llamaindex/core@0.6.22:" $found
[ "$found" = "3 of 20
20 of 20
3 of 20" ]
