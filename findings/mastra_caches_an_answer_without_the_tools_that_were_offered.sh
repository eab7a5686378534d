#!/usr/bin/env bash
# @mastra/core 1.71.0 (npm): an agent that can pay gives the answer of one that cannot, from the cache that they share,
# and a request for JSON gets a cached answer in words.
#
# Guess: `ResponseCache` reuses an answer only for the same request: the model, the messages, the tools, the settings
# and the requested format. Its page says that the key comes from the prompt that is sent to the model.
# Seen: That prompt is the messages alone. After a tool is added to the agent, a question that was asked before gets its
# old answer until that expires, and the tool is not called. The same answer comes at another temperature. With
# `structuredOutput`, the answer in words does not fit the schema, and the call fails. All agents with one cache, one
# model and the same instructions share the answer, because the key has an agent's name only if the option `agentId` is
# set.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Agent } from "@mastra/core/agent";
import { InMemoryServerCache } from "@mastra/core/cache";
import { ResponseCache } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

let asked = 0;
const doGenerate = async ({ tools = [], temperature, responseFormat, prompt }) => {
  asked++;
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const [tool] = tools;
  if (tool && prompt.at(-1).role === "user") {
    const call = { type: "tool-call", toolCallId: "1", toolName: tool.name, input: "{}" };
    return { content: [call], finishReason: "tool-calls", usage, warnings: [] };
  }
  const words = tool ? "Paid." : temperature ? "Sorry, not me." : "I cannot pay.";
  const text = responseFormat?.type === "json" ? JSON.stringify({ paid: false }) : words;
  return { content: [{ type: "text", text }], finishReason: "stop", usage, warnings: [] };
};
const execute = async () => "done";
const pay = createTool({ id: "pay", description: "Pays.", inputSchema: z.object({}), execute });
const model = { specificationVersion: "v2", provider: "none", modelId: "none", supportedUrls: {}, doGenerate };

for (const cached of [false, true]) {
  asked = 0;
  const inputProcessors = cached ? [new ResponseCache({ cache: new InMemoryServerCache() })] : [];
  const ask = async (tools, options) => {
    const agent = new Agent({ id: "agent", name: "agent", instructions: "Help.", model, tools, inputProcessors });
    const told = await agent.generate("Pay Ann.", options).catch((error) => ({ text: error.message.split(":")[0] }));
    console.log(told.object ? JSON.stringify(told.object) : told.text);
  };
  console.log(cached ? "with a cache" : "without a cache");
  await ask({});
  await ask({}, { modelSettings: { temperature: 1 } });
  await ask({ pay });
  await ask({}, { structuredOutput: { schema: z.object({ paid: z.boolean() }) } });
  console.log("asked:", asked);
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@mastra/core@1.71.0:"
echo "$found"
[ "$found" = 'without a cache
I cannot pay.
Sorry, not me.
Paid.
{"paid":false}
asked: 5
with a cache
I cannot pay.
I cannot pay.
I cannot pay.
Structured output validation failed
asked: 1' ]
