#!/usr/bin/env bash
# ai 7.0.173 (npm): with `extractReasoningMiddleware`, the same answer of a model is text when it comes in one piece,
# and empty when it comes as a stream.
#
# Guess: The middleware takes the part between the tags out of an answer. `streamText` gives in pieces the text that
# `generateText` gives at once, so a test of one holds for the other.
# Seen: In one piece, a thought needs both tags. In a stream, everything after an opening tag is a thought. So an answer
# that mentions `<think>` loses the rest. With `startWithReasoning`, which is for templates that open the thought
# themselves, an answer without a thought has no text at all, and the user reads nothing. In one piece, both are shown
# whole. If the limit cuts an answer off within the thought, it is shown with its tag in one piece, and not shown in a
# stream.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ai@7.0.173 zod@4.6.7 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { extractReasoningMiddleware, generateText, simulateReadableStream, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: "stop" };
const answers = [
  [{}, "<think>Easy.</think>Yes."],
  [{}, "<think>Easy.</think>Write <think> first, then 42."],
  [{ startWithReasoning: true }, "Easy.</think>Yes."],
  [{ startWithReasoning: true }, "Yes."],
  [{}, "<think>It is easy, as"],
];
for (const [options, text] of answers) {
  const model = wrapLanguageModel({
    middleware: extractReasoningMiddleware({ tagName: "think", ...options }),
    model: new MockLanguageModelV4({
      doGenerate: async () => ({ content: [{ type: "text", text }], finishReason, usage, warnings: [] }),
      doStream: async () => ({
        stream: simulateReadableStream({
          initialDelayInMs: null,
          chunkDelayInMs: null,
          chunks: [
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "0" },
            ...text.match(/.{1,5}/g).map((delta) => ({ type: "text-delta", id: "0", delta })),
            { type: "text-end", id: "0" },
            { type: "finish", finishReason, usage },
          ],
        }),
      }),
    }),
  });
  const whole = await generateText({ model, prompt: "Well?" });
  const stream = streamText({ model, prompt: "Well?" });
  console.log(`whole: ${whole.text} | stream: ${await stream.text}`);
}
PROGRAM
found=$(node program.mjs)
echo "$found"
[ "$found" = "whole: Yes. | stream: Yes.
whole: Write <think> first, then 42. | stream: Write 
whole: Yes. | stream: Yes.
whole: Yes. | stream: 
whole: <think>It is easy, as | stream: " ]
