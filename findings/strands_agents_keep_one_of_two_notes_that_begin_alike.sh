#!/usr/bin/env bash
# @strands-agents/sdk 1.19.0 (npm): of two notes that a model makes in one call, the second is not kept if both begin
# alike, or if one is on C++ and the other on C#; the model is told that both are stored.
#
# Guess: `FileMemoryStore` adds each note. Notes with one heading share a file, as its docs say; a note of a
# single line is a fact, and is kept beside others, or the model hears of an error.
# Seen: The first line names the file: its letters a to z and its digits, of which 50 count. If there is that file, the
# lines after the first are appended: of a note of one line, none. A correction, a note in Chinese with one Latin
# word in it, and C# after C++ are gone: `add_memory` says that 6 are stored, and 3 can be found.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @strands-agents/sdk@1.19.0 @opentelemetry/api@1.9.0 \
    @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { MemoryManager } from "@strands-agents/sdk";
import { FileMemoryStore } from "@strands-agents/sdk/vended-memory-stores/file-memory-store";

const store = new FileMemoryStore({ name: "notes" });
const manager = new MemoryManager({ stores: [store], addToolConfig: true });
const entries = [
  "Ann writes C++.",
  "Ann writes C#.",
  "The flat in the old town of Bergen by the harbour costs 900.",
  "The flat in the old town of Bergen by the harbour costs 950.",
  "安喜欢Java",
  "鲍勃不喜欢Java",
];
const addMemory = manager.getTools().find((tool) => tool.name === "add_memory");
console.log("stored:", (await addMemory.invoke({ entries })).stored);
for (const note of await store.search("Ann flat 安喜欢Java 鲍勃不喜欢Java")) console.log(note.content);
PROGRAM
found=$(node program.mjs)
echo "@strands-agents/sdk@1.19.0:" $found
[ "$found" = "stored: 6
Ann writes C++.
安喜欢Java
The flat in the old town of Bergen by the harbour costs 900." ]
