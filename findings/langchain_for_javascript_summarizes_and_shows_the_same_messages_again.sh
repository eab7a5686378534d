#!/usr/bin/env bash
# @langchain/classic 1.0.50 (npm): after its first summary, a `ConversationSummaryBufferMemory` drops no message any
# more, and summarizes all of them again each turn.
#
# Guess: Above its limit, it summarizes the oldest messages and drops them, at the tenth turn as at the second: its view
# stays within `maxTokenLimit`.
# Seen: The first prune takes messages out of the history itself, each later one out of a copy. So the view has the
# summary and every message since, which the summary covers too, and the model is sent more of them each turn. Ten
# exchanges with a limit of 12 tokens leave 19 messages beside the summary. (langchainjs issue 4452, open since 2024.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/classic@1.0.50 @langchain/core@1.4.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { ConversationSummaryBufferMemory } from "@langchain/classic/memory";
import { FakeListChatModel } from "@langchain/core/utils/testing";

const asked = [];
class Summarizer extends FakeListChatModel {
  async getNumTokens(text) {
    return text.split(/\s+/).filter(Boolean).length;
  }
  async _generate(messages, ...others) {
    asked.push(messages[0].content.match(/\bq\d/g).length);
    return super._generate(messages, ...others);
  }
}
const llm = new Summarizer({ responses: ["SUMMARY"] });
const memory = new ConversationSummaryBufferMemory({ llm, maxTokenLimit: 12, returnMessages: true });
for (let turn = 0; turn < 10; turn += 1) {
  await memory.saveContext({ input: `q${turn} is it` }, { output: `a${turn} it is` });
}
const { history } = await memory.loadMemoryVariables({});
console.log("shown:", history.length, history[0].content, history[1].content, "to", history.at(-1).content);
console.log("questions in each request:", ...asked);
PROGRAM
found=$(node program.mjs)
echo "@langchain/classic@1.0.50:" $found
[ "$found" = "shown: 20 SUMMARY a0 it is to a9 it is
questions in each request: 1 1 2 3 4 5 6 7 8" ]
