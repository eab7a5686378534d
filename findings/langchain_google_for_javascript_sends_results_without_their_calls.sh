#!/usr/bin/env bash
# @langchain/google 0.2.6 beside @langchain/google-genai 2.3.2 (npm): if another model began the talk, Gemini is sent
# the results of tools without the calls.
#
# Guess: `tool_calls` of a message is LangChain's own form, so a history can move from one model to the next: Gemini
# gets OpenAI's calls and results, as it does with google-genai, the predecessor of this package. Or there is an error.
# Seen: Of a message without Gemini's own parts, only the text is sent. So Gemini reads that 300 euros were paid, but
# not to whom, nor that it asked for it. It has to guess the answer to "Whom did you pay?", unless the API refuses a
# result without a call. The name of the tool is looked up in the very calls that are left out. Messages marked with
# output_version v1 keep their calls. (Known upstream: issue 10502.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @langchain/core@1.4.0 @langchain/openai@1.5.8 \
    @langchain/google@0.2.6 @langchain/google-genai@2.3.2 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogle } from "@langchain/google";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";

let sent;
let answer;
globalThis.fetch = async (url, options) => {
  sent = JSON.parse(url instanceof Request ? await url.text() : options.body);
  return Response.json(answer);
};
const call = { name: "pay", arguments: '{"to":"Ann","euros":300}' };
answer = {
  choices: [{ message: { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: call }] } }],
};
const question = new HumanMessage("Pay the one whose rent is due.");
const first = await new ChatOpenAI({ apiKey: "none", model: "gpt-4o" }).invoke([question]);
const history = [
  question,
  first,
  new ToolMessage({ content: "300 euros are paid.", tool_call_id: "call_1", name: "pay" }),
  new HumanMessage("Whom did you pay?"),
];
answer = { candidates: [{ content: { role: "model", parts: [{ text: "Well." }] }, finishReason: "STOP" }] };
for (const Model of [ChatGoogleGenerativeAI, ChatGoogle]) {
  await new Model({ apiKey: "none", model: "gemini-2.5-flash" }).invoke(history);
  const parts = sent.contents.flatMap((content) => content.parts).map((part) => Object.keys(part)[0]);
  console.log(`${Model.name}:`, ...parts, JSON.stringify(sent).includes("Ann"));
}
PROGRAM
found=$(node program.mjs)
echo "$found"
[ "$found" = "ChatGoogleGenerativeAI: text functionCall functionResponse text true
ChatGoogle: text functionResponse text false" ]
