#!/usr/bin/env bash
# openai-gpt-token-counter 1.1.2 beside js-tiktoken 1.0.21 (npm): a message of one part has 10 tokens, however long it
# is, and a call of a tool none; `text` counts for each model as for GPT-3.
#
# Guess: `chat` takes "an input messages array for all OpenAI models including the GPT-5 series", and is "verified for
# 100% accuracy", so it counts the messages that OpenAI's API takes, or raises an error; `text(text, model)` counts with
# the tokens of that model.
# Seen: A content that is a list becomes the text "[object Object]", so a budget that rests on the count never ends, in
# a talk with a picture or in one of a client that always sends parts. Arguments of calls are left out, and a content of
# null is the word "null". `text`, which its page calls deprecated, does not use its second argument: a note in Chinese
# for gpt-5 is 240 tokens and not 91, and one in Hindi 385 and not 80. A content that is a text is right.
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
