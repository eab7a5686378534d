#!/usr/bin/env bash
# @mastra/core 1.71.0 with @mastra/memory 1.31.0 (npm): if the new question does not fit the token limit, the model is
# asked without it, and is shown the earlier talk.
#
# Guess: A limit on the prompt drops the oldest messages. The new question is kept, or the call gives no answer, as it
# does if nothing fits.
# Seen: In its default mode, "best-fit", `TokenLimiterProcessor` skips a message that is too long and goes on with older
# ones. Ann pastes her contract after a question that was answered: the request ends with the model's own old answer,
# and its next words are returned as the answer to the contract. If nothing else fits, the call gives no answer, as it
# does here in the mode "contiguous". (The manual says that "best-fit" can leave gaps. Upstream knows of gaps within the
# history, issue 14798, and of dropped tool results, issue 24110.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 @mastra/memory@1.31.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Agent } from "@mastra/core/agent";
import { TokenLimiterProcessor } from "@mastra/core/processors";
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";

const said = (content) => (typeof content === "string" ? content : content.map((part) => part.text).join(""));
const short = (text) => (text.length > 40 ? `${text.slice(0, 40)}...` : text);
for (const trimMode of ["best-fit", "contiguous"]) {
  const memory = new Memory({ storage: new InMemoryStore() });
  const doStream = async ({ prompt }) => {
    const shown = prompt.map(({ role, content }) => `${role}: ${short(said(content))}`);
    console.log(`${trimMode}, shown:`, shown.join(" | "));
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const chunks = [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Your PIN is 4711." },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: "stop", usage },
    ];
    return { stream: ReadableStream.from(chunks) };
  };
  const model = { specificationVersion: "v2", provider: "none", modelId: "none", supportedUrls: {}, doStream };
  const inputProcessors = [new TokenLimiterProcessor({ limit: 200, trimMode })];
  const agent = new Agent({ id: "agent", name: "agent", instructions: "Help.", model, memory, inputProcessors });
  const talk = async (question) => {
    const stream = await agent.stream(question, { memory: { thread: "one", resource: "ann" } });
    console.log(`${trimMode}, ${short(question)} ->`, (await stream.text) || "no answer");
  };
  await talk("What is my PIN?");
  await talk(`Is this contract fair? ${"The tenant pays for the roof. ".repeat(60)}`);
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@mastra/core@1.71.0:"
echo "$found"
pin="user: What is my PIN?"
contract="Is this contract fair? The tenant pays f..."
[ "$found" = "best-fit, shown: system: Help. | $pin
best-fit, What is my PIN? -> Your PIN is 4711.
best-fit, shown: system: Help. | $pin | assistant: Your PIN is 4711.
best-fit, $contract -> Your PIN is 4711.
contiguous, shown: system: Help. | $pin
contiguous, What is my PIN? -> Your PIN is 4711.
contiguous, $contract -> no answer" ]
