#!/usr/bin/env bash
# @mastra/evals 1.10.2 with @mastra/core 1.71.0 (npm): its code scorers give full marks to an answer with the wrong
# amount and to an unrelated answer in Chinese, and none to an agent that calls its tools in exactly the expected order.
#
# Guess: "Keyword coverage" and "completeness" measure how much of a question an answer covers: a wrong number covers
# less, and an unrelated answer in Chinese covers nothing. An agent that makes the expected calls in order scores 1.
# Seen: Digits do not count as keywords, so 300 euros cover 30. Completeness reduces each word to a to z and digits, so
# a question in Chinese has no words, and an answer that has none either covers them all. If a tool is expected twice
# (search, open, search), its first call is looked up both times, and the second time it comes too early: the score is
# 0, unless `strictMode` is on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @mastra/evals@1.10.2 @mastra/core@1.71.0 zod@4.6.7 \
    > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import {
  createCompletenessScorer,
  createKeywordCoverageScorer,
  createToolCallAccuracyScorerCode,
} from "@mastra/evals/scorers/prebuilt";

const message = (role, parts) => ({ id: role, role, createdAt: new Date(), content: { format: 2, parts } });
const text = (words) => [{ type: "text", text: words }];
const calls = (names) =>
  names.map((toolName, at) => ({
    type: "tool-invocation",
    toolInvocation: { toolCallId: `${at}`, toolName, args: {}, state: "result", result: "Done." },
  }));
const score = async (scorer, asked, parts) => {
  const inputMessages = [message("user", text(asked))];
  const input = { inputMessages, rememberedMessages: [], systemMessages: [], taggedSystemMessages: {} };
  return (await scorer.run({ input, output: [message("assistant", parts)] })).score;
};
const keywords = createKeywordCoverageScorer();
const complete = createCompletenessScorer();
console.log("30 euros, 300 paid:", await score(keywords, "Pay 30 euros to Ann.", text("Paid 300 euros, pay to Ann.")));
console.log("weather in Hangzhou, in English:", await score(complete, "Weather in Hangzhou?", text("I like tea.")));
console.log("the same in Chinese:", await score(complete, "杭州天气怎么样？", text("我喜欢喝茶。")));
const order = ["search", "open", "search"];
for (const strictMode of [false, true]) {
  const scorer = createToolCallAccuracyScorerCode({ expectedToolOrder: order, strictMode });
  console.log(`the expected order, strict ${strictMode}:`, await score(scorer, "Find it.", calls(order)));
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "$found"
[ "$found" = "30 euros, 300 paid: 1
weather in Hangzhou, in English: 0
the same in Chinese: 1
the expected order, strict false: 0
the expected order, strict true: 1" ]
