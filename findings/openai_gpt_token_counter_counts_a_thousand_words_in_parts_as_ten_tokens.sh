#!/usr/bin/env bash
# openai-gpt-token-counter 1.1.2 beside js-tiktoken 1.0.21 (npm): a message of one part counts as 10 tokens, however
# long it is, and the arguments of a tool call count as none; for gpt-5, `text` counts the tokens of GPT-3.
#
# Guess: `chat` takes "an input messages array for all OpenAI models including the GPT-5 series", and is "verified for
# 100% accuracy", so it counts every message that OpenAI's API takes, or raises an error. `text(text, model)` counts
# that model's tokens.
# Seen: A content that is a list becomes the string "[object Object]". So a budget that rests on the count never runs
# out in a chat with pictures, or with a client that always sends parts. The arguments of calls are left out, and a
# content of null is the word "null". `text`, which the package's page calls deprecated, does not use its second
# argument: for gpt-5, a note in Chinese counts as 240 tokens instead of 91, and one in Hindi as 385 instead of 80. A
# thousand words in a string are counted: 1007 tokens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit openai-gpt-token-counter@1.1.2 js-tiktoken@1.0.21 > /dev/null
cat > program.mjs <<'PROGRAM'
import { encodingForModel } from "js-tiktoken";
import counter from "openai-gpt-token-counter";

const words = "tea ".repeat(1000);
const call = { id: "1", type: "function", function: { name: "note", arguments: JSON.stringify({ words }) } };
const messages = {
  "as a text": { role: "user", content: words },
  "in a part": { role: "user", content: [{ type: "text", text: words }] },
  "in two parts": { role: "user", content: [{ type: "text", text: words }, { type: "text", text: words }] },
  "in a call": { role: "assistant", content: null, tool_calls: [call] },
};
for (const [name, message] of Object.entries(messages)) console.log(`${name}: ${counter.chat([message], "gpt-5")}`);
const tiktoken = encodingForModel("gpt-5");
const notes = {
  Chinese: "我住在杭州，我的猫很老。".repeat(10),
  Hindi: "मैं बर्लिन में रहता हूँ और मेरी बिल्ली बूढ़ी है।".repeat(5),
};
for (const [name, note] of Object.entries(notes))
  console.log(`${name}: ${counter.text(note, "gpt-5")}, js-tiktoken: ${tiktoken.encode(note).length}`);
PROGRAM
found=$(node program.mjs)
echo "openai-gpt-token-counter@1.1.2:" $found
[ "$found" = "as a text: 1007
in a part: 10
in two parts: 13
in a call: 7
Chinese: 240, js-tiktoken: 91
Hindi: 385, js-tiktoken: 80" ]
