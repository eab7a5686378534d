#!/usr/bin/env bash
# @langchain/classic 1.0.50 (npm) with langchain-classic 1.0.8: a window of no exchanges shows all of them in
# JavaScript, and none in Python.
#
# Guess: With `k: 0`, a `BufferWindowMemory` shows nothing, as a setting of a user who wants no memory; with 1 it shows
# the last exchange.
# Seen: In JavaScript the last 0 messages are cut as `slice(-0)`, which is all of them. `EntityMemory`, whose `k` means
# the same, sends its model all of them too. Python shows none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-classic==1.0.8
npm install --silent --no-fund --no-audit @langchain/classic@1.0.50 @langchain/core@1.4.0 > /dev/null
cat > program.py <<'PROGRAM'
from langchain_classic.memory import ConversationBufferWindowMemory

for k in (2, 1, 0):
    memory = ConversationBufferWindowMemory(k=k, return_messages=True)
    for turn in range(4):
        memory.save_context({"input": f"q{turn}"}, {"output": f"a{turn}"})
    print(f"k={k}:", len(memory.load_memory_variables({})["history"]))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { BufferWindowMemory, EntityMemory } from "@langchain/classic/memory";
import { FakeListChatModel } from "@langchain/core/utils/testing";

for (const k of [2, 1, 0]) {
  const memory = new BufferWindowMemory({ k, returnMessages: true });
  for (let turn = 0; turn < 4; turn += 1) {
    await memory.saveContext({ input: `q${turn}` }, { output: `a${turn}` });
  }
  console.log(`k=${k}:`, (await memory.loadMemoryVariables({})).history.length);
}
const memory = new EntityMemory({ k: 0, llm: new FakeListChatModel({ responses: ["NONE"] }), returnMessages: true });
for (let turn = 0; turn < 4; turn += 1) {
  await memory.saveContext({ input: `q${turn}` }, { output: `a${turn}` });
}
console.log("entities, k=0:", (await memory.loadMemoryVariables({ input: "q4" })).history.length);
PROGRAM
for_python=$(venv/bin/python -W ignore program.py 2> /dev/null)
for_javascript=$(node program.mjs)
echo "langchain-classic==1.0.8:" $for_python
echo "@langchain/classic@1.0.50:" $for_javascript
[ "$for_python" = "k=2: 4
k=1: 2
k=0: 0" ]
[ "$for_javascript" = "k=2: 4
k=1: 2
k=0: 8
entities, k=0: 8" ]
