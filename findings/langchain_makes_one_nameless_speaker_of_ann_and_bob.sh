#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI) with @langchain/core 1.4.0 (npm): merging messages that follow one another makes one
# message of no name out of what Ann and Bob said.
#
# Guess: `merge_message_runs` merges messages "of the same type", for models that want the roles by turns. What two
# people said in a group is kept apart, or is merged with the names in it, as both languages raise no error; what one
# person said keeps its name.
# Seen: Messages of a tool, whose ids would be lost, are not merged. All others are, and the name is lost, in both
# languages, even where it is the same in all of them; a message that stands alone keeps its own. So a model is told
# that one person owes both sums, and in what is stored after that Ann and Bob cannot be told apart. The id is that of
# the first message, so a reducer that replaces by id puts Bob's words into Ann's message. (The lost name is known
# upstream for Python; issue 40677.)
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
