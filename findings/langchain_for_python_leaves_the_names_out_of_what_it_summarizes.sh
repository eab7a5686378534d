#!/usr/bin/env bash
# langchain-core 1.8.3 with @langchain/core 1.4.0 (npm): of a talk of several people, the text that a model is given to
# summarize has their names in JavaScript, and calls all of them "Human" in Python.
#
# Guess: A message has a name so that a model knows who speaks, and `get_buffer_string`, of which summaries, entities
# and graphs are made, writes it, in both languages alike.
# Seen: Python writes neither the names of people nor those of tools, also as XML: Ann's and Bob's words are one
# human's. JavaScript writes "Human: Ann, I cook." And in both, `merge_message_runs`, for models that want turns,
# makes one message of Ann's and Bob's, without a name.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-core==1.8.3
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > program.py <<'PROGRAM'
from langchain_core.messages import HumanMessage, ToolMessage, get_buffer_string, merge_message_runs

people = [HumanMessage("I cook.", name="Ann"), HumanMessage("I drive.", name="Bob")]
messages = [*people, ToolMessage("Rain.", name="weather", tool_call_id="call")]
print(get_buffer_string(messages))
print(get_buffer_string(people, format="xml"))
print([(message.name, message.text) for message in merge_message_runs(people)])
PROGRAM
cat > program.mjs <<'PROGRAM'
import { getBufferString, HumanMessage, mergeMessageRuns, ToolMessage } from "@langchain/core/messages";

const says = (name, content) => new HumanMessage({ name, content });
const people = [says("Ann", "I cook."), says("Bob", "I drive.")];
const messages = [...people, new ToolMessage({ content: "Rain.", name: "weather", tool_call_id: "call" })];
console.log(getBufferString(messages));
console.log(JSON.stringify(mergeMessageRuns(people).map(({ name = null, text }) => [name, text])));
PROGRAM
for_python=$(venv/bin/python -W ignore program.py)
for_javascript=$(node program.mjs)
echo "langchain-core==1.8.3:" $for_python
echo "@langchain/core@1.4.0:" $for_javascript
[ "$for_python" = "Human: I cook.
Human: I drive.
Tool: Rain.
<message type=\"human\">I cook.</message>
<message type=\"human\">I drive.</message>
[(None, 'I cook.\nI drive.')]" ]
[ "$for_javascript" = 'Human: Ann, I cook.
Human: Bob, I drive.
Tool: weather, Rain.
[[null,"I cook.\nI drive."]]' ]
