#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI) with @langchain/core 1.4.0 (npm): merging consecutive messages turns Ann's and Bob's words
# into one message without a name.
#
# Guess: `merge_message_runs` merges consecutive messages "of the same type", for models that want alternating roles. In
# a group, the words of two people stay apart, or are merged with the names in the text; the words of one person keep
# the name.
# Seen: Tool messages, whose ids would be lost, are not merged. All others are, and the merged message has no name, in
# both languages, even if all of its parts had the same one; a message that stands alone keeps its name. So a model
# reads that one person owes both sums, and the stored talk no longer tells Ann from Bob. The id is that of the
# first message, so a reducer that replaces by id puts Bob's words into Ann's message. No error is raised. (Upstream
# knows of the lost name in Python: issue 40677.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > talks.json <<'TALKS'
[
  [["1", "ann", "I owe Cy 5."], ["2", "bob", "I owe him 900."]],
  [["3", "ann", "I am late."], ["4", "ann", "Sorry."]],
  [["5", "ann", "Bye."]]
]
TALKS
cat > program.py <<'PROGRAM'
import json

from langchain_core.messages import HumanMessage, merge_message_runs

for talk in json.load(open("talks.json")):
    messages = [HumanMessage(text, name=name, id=id) for id, name, text in talk]
    for message in merge_message_runs(messages):
        print("Python:", message.id, message.name or "nobody", json.dumps(message.content))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { HumanMessage, mergeMessageRuns } from "@langchain/core/messages";
import { readFileSync } from "node:fs";

for (const talk of JSON.parse(readFileSync("talks.json"))) {
  const messages = talk.map(([id, name, content]) => new HumanMessage({ id, name, content }));
  for (const { id, name, content } of mergeMessageRuns(messages))
    console.log("JavaScript:", id, name ?? "nobody", JSON.stringify(content));
}
PROGRAM
found=$("$folder/venv/bin/python" program.py && node program.mjs)
echo "langchain-core==1.8.3, @langchain/core@1.4.0:"
echo "$found"
said() {
  printf '%s\n' "$1: 1 nobody \"I owe Cy 5.\nI owe him 900.\"" "$1: 3 nobody \"I am late.\nSorry.\""
  printf '%s\n' "$1: 5 ann \"Bye.\""
}
[ "$found" = "$(said Python && said JavaScript)" ]
