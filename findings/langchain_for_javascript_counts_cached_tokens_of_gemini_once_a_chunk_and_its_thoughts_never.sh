#!/usr/bin/env bash
# @langchain/google-genai 2.3.2 and @langchain/anthropic 1.5.11 (npm) beside langchain-google-genai 4.4.3 (PyPI): if an
# answer is streamed in ten pieces, 50,000 of the prompt's 5,010 tokens came from the cache; thoughts cost nothing.
#
# Guess: `usage_metadata` of a streamed answer, added up from its pieces, is the same as for an answer in one piece, and
# in both languages it is that of the bill: cached tokens are a part of the prompt, and thoughts are a part of the
# output.
# Seen: Gemini repeats its counts in each piece. The package takes the differences, except for the cached tokens, which
# it adds up to ten times the true number. The 100 tokens of thoughts, billed as output, are missing from the output
# count, also in one piece. For Claude, the first event of a stream announces one token, which is added to the seven of
# the last event, though these include it. Python has 5,000 and 110. (The first is known upstream: issue 9731.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-google-genai==4.4.3 langchain-core==1.8.3
npm install --silent --no-fund --no-audit --legacy-peer-deps @langchain/core@1.4.0 @langchain/anthropic@1.5.11 \
    @langchain/google-genai@2.3.2 zod@4.6.7 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { writeFileSync } from "node:fs";

const counts = { promptTokenCount: 5010, cachedContentTokenCount: 5000, thoughtsTokenCount: 100 };
const piece = (words, text) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, ...(words === 10 ? { finishReason: "STOP" } : {}) }],
  usageMetadata: { ...counts, candidatesTokenCount: words, totalTokenCount: 5110 + words },
});
const stream = (events) => {
  const lines = events.map((data) => `${data.type ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
};
const whole = piece(10, "a b c d e f g h i j");
writeFileSync("gemini.json", JSON.stringify(whole));
const message = { id: "a", type: "message", role: "assistant", model: "none", content: [] };
const claude = [
  { type: "message_start", message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Well." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
  { type: "message_stop" },
];
globalThis.fetch = async (request) => {
  const url = request.url ?? String(request);
  if (url.includes("anthropic")) return stream(claude);
  if (!url.includes("stream")) return Response.json(whole);
  return stream([..."abcdefghij"].map((letter, at) => piece(at + 1, letter)));
};
const show = (name, { input_tokens, output_tokens, input_token_details }) =>
  console.log(`${name}: ${input_token_details.cache_read ?? 0} of ${input_tokens} cached, ${output_tokens} out`);
const streamed = async (model) => {
  let answer;
  for await (const chunk of await model.stream("Well?")) answer = answer ? answer.concat(chunk) : chunk;
  return answer.usage_metadata;
};
const gemini = new ChatGoogleGenerativeAI({ apiKey: "none", model: "gemini-2.5-flash" });
show("Gemini", (await gemini.invoke("Well?")).usage_metadata);
show("Gemini, streamed", await streamed(gemini));
show("Claude, streamed", await streamed(new ChatAnthropic({ apiKey: "none", model: "claude-sonnet-4-5" })));
PROGRAM
cat > program.py <<'PROGRAM'
import json

from google.genai.types import GenerateContentResponse
from langchain_google_genai.chat_models import _response_to_result

response = GenerateContentResponse.model_validate(json.load(open("gemini.json")))
usage = _response_to_result(response).generations[0].message.usage_metadata
cached = usage["input_token_details"]["cache_read"]
print(f"Python: {cached} of {usage['input_tokens']} cached, {usage['output_tokens']} out")
PROGRAM
found=$(node program.mjs 2> /dev/null && venv/bin/python -W ignore program.py)
echo "$found"
[ "$found" = "Gemini: 5000 of 5010 cached, 10 out
Gemini, streamed: 50000 of 5010 cached, 10 out
Claude, streamed: 0 of 10 cached, 8 out
Python: 5000 of 5010 cached, 110 out" ]
