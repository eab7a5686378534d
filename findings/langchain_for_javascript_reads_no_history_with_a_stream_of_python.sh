#!/usr/bin/env bash
# @langchain/core 1.4.0 (npm) with langchain-core 1.8.3: JavaScript cannot read a history in which Python kept a
# streamed answer.
#
# Guess: A history is one of messages: what `messages_to_dict` writes, as the histories in Redis, SQL and files do, is
# read by `mapStoredMessagesToChatMessages`, and the other way round, whether an answer was streamed or not.
# Seen: Python writes the sum of a stream as "AIMessageChunk" and reads it again; JavaScript raises an error for that
# type, and one such message is enough for the whole history. JavaScript itself stores a stream as "ai". A message of a
# role of one's own is "chat" for Python and "generic" for JavaScript, and neither reads the other's.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > write.py <<'PROGRAM'
import json

from langchain_core.messages import AIMessageChunk, ChatMessage, HumanMessage, messages_to_dict

answer = AIMessageChunk("Hello ") + AIMessageChunk("Ann.")
kinds = {"text": HumanMessage("I am Ann."), "stream": answer, "role": ChatMessage("Really?", role="critic")}
print(json.dumps({kind: messages_to_dict([message]) for kind, message in kinds.items()}))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync, writeFileSync } from "node:fs";
import { AIMessageChunk, ChatMessage, HumanMessage } from "@langchain/core/messages";
import { mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } from "@langchain/core/messages";

for (const [kind, stored] of Object.entries(JSON.parse(readFileSync("python.json", "utf8")))) {
  try {
    console.log("from Python,", `${kind}:`, mapStoredMessagesToChatMessages(stored)[0].content);
  } catch (error) {
    console.log("from Python,", `${kind}:`, error.message);
  }
}
const answer = new AIMessageChunk("Hello ").concat(new AIMessageChunk("Ann."));
const kinds = { text: new HumanMessage("I am Ann."), stream: answer, role: new ChatMessage("Really?", "critic") };
const stored = Object.entries(kinds).map(([kind, message]) => [kind, mapChatMessagesToStoredMessages([message])]);
writeFileSync("javascript.json", JSON.stringify(Object.fromEntries(stored)));
PROGRAM
cat > read.py <<'PROGRAM'
import json
import sys

from langchain_core.messages import messages_from_dict

for name in ("python", "javascript"):
    for kind, stored in json.load(open(f"{name}.json")).items():
        try:
            print(f"{name} in Python, {kind}:", messages_from_dict(stored)[0].content)
        except ValueError as error:
            print(f"{name} in Python, {kind}:", error)
PROGRAM
venv/bin/python write.py > python.json
found=$(node program.mjs; venv/bin/python read.py)
echo "@langchain/core@1.4.0:" $found
[ "$found" = "from Python, text: I am Ann.
from Python, stream: Got unexpected type: AIMessageChunk
from Python, role: Got unexpected type: chat
python in Python, text: I am Ann.
python in Python, stream: Hello Ann.
python in Python, role: Really?
javascript in Python, text: I am Ann.
javascript in Python, stream: Hello Ann.
javascript in Python, role: Got unexpected message type: generic" ]
