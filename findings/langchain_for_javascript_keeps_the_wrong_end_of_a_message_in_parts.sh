#!/usr/bin/env bash
# @langchain/core 1.4.0 (npm) with langchain-core 1.8.3: `trimMessages` with the strategy "last" keeps the first parts
# of a message, where Python keeps the last.
#
# Guess: With `allowPartial`, the newest message loses its beginning, as it does in Python, and in JavaScript if its
# content is one text; and one history trims alike in both.
# Seen: Of a message in four parts of two words, with room for four words, JavaScript keeps the first part, one alone,
# and Python the last two. And where nothing but the system message fits, `includeSystem` with `startOn` raises a
# TypeError in JavaScript; Python gives the system message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { HumanMessage, SystemMessage, trimMessages } from "@langchain/core/messages";

const words = (content) => (typeof content === "string" ? content : content.map((part) => part.text).join(" "));
const tokenCounter = (messages) => messages.map((message) => words(message.content).trim().split(" ")).flat().length;
const newest = { one: "a b c d e f g h", parts: ["a b", "c d", "e f", "g h"].map((text) => ({ type: "text", text })) };
const textSplitter = (text) => text.split(/(?= )/);
for (const [name, content] of Object.entries(newest)) {
  const options = { maxTokens: 4, strategy: "last", allowPartial: true, tokenCounter, textSplitter };
  const kept = await trimMessages([new HumanMessage("Hi"), new HumanMessage({ content })], options);
  console.log("JavaScript,", `${name}:`, kept.map((message) => words(message.content)).join("; ").trim());
}
try {
  const options = { maxTokens: 4, strategy: "last", includeSystem: true, startOn: "human", tokenCounter };
  const kept = await trimMessages([new SystemMessage("Be brief."), new HumanMessage(newest.one)], options);
  console.log("JavaScript, system:", kept.map((message) => message.content).join("; "));
} catch (error) {
  console.log("JavaScript, system:", error.constructor.name);
}
PROGRAM
cat > program.py <<'PROGRAM'
import re

from langchain_core.messages import HumanMessage, SystemMessage, trim_messages


def words(content):
    return content if isinstance(content, str) else " ".join(part["text"] for part in content)


def tokens(messages):
    return sum(len(words(message.content).split()) for message in messages)


parts = [{"type": "text", "text": text} for text in ("a b", "c d", "e f", "g h")]
limit = {"max_tokens": 4, "strategy": "last", "token_counter": tokens}
for name, content in {"one": "a b c d e f g h", "parts": parts}.items():
    history = [HumanMessage("Hi"), HumanMessage(content)]
    kept = trim_messages(history, allow_partial=True, text_splitter=lambda text: re.split("(?= )", text), **limit)
    print(f"Python, {name}:", "; ".join(words(message.content) for message in kept).strip())
history = [SystemMessage("Be brief."), HumanMessage("a b c d e f g h")]
kept = trim_messages(history, include_system=True, start_on="human", **limit)
print("Python, system:", "; ".join(message.content for message in kept))
PROGRAM
found=$(node program.mjs; venv/bin/python program.py)
echo "@langchain/core@1.4.0:" $found
[ "$found" = "JavaScript, one: e f g h
JavaScript, parts: a b
JavaScript, system: TypeError
Python, one: e f g h
Python, parts: e f g h
Python, system: Be brief." ]
