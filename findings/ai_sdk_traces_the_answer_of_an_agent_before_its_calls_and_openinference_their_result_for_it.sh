#!/usr/bin/env bash
# @ai-sdk/otel 1.0.173 with ai 7.0.173 and @arizeai/openinference-vercel 3.2.1 (npm): in the span of an agent's run, the
# answer stands before the calls that it rests on, and OpenInference has a tool's result as the content of the answer.
#
# Guess: `gen_ai.output.messages` of `invoke_agent` has the messages of the run in order, or the last answer alone;
# OpenInference, "for AI SDK v7", turns it into the same messages.
# Seen: It is one assistant message: the last answer, then all calls of the run, then the results of those that did not
# fail. The words of the first step ("I look.") and the failure are missing. OpenInference also makes one message of it.
# Its `message.content` is the tool's result, "Room 12.", with the answer left in a list of parts beside it, so an
# evaluation by `message.content` evaluates the tool. The spans of the single model calls are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps ai@7.0.173 @ai-sdk/otel@1.0.173 \
    @arizeai/openinference-vercel@3.2.1 @opentelemetry/api@1.10.0 @opentelemetry/sdk-trace-node@2.12.1 zod@4.6.7 \
    > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { OpenTelemetry } from "@ai-sdk/otel";
import { OpenInferenceSimpleSpanProcessor } from "@arizeai/openinference-vercel";
import { InMemorySpanExporter, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, jsonSchema, registerTelemetry, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new OpenInferenceSimpleSpanProcessor({ exporter })] });
provider.register();
registerTelemetry(new OpenTelemetry());
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const call = (toolName) => ({ type: "tool-call", toolCallId: toolName, toolName, input: "{}" });
const steps = [
  ["tool-calls", { type: "text", text: "I look." }, call("room"), call("phone")],
  ["stop", { type: "text", text: "Ann is on the left." }],
];
const doGenerate = async () => {
  const [unified, ...content] = steps.shift();
  return { content, finishReason: { unified }, usage, warnings: [] };
};
const room = async () => "Room 12.";
const phone = async () => {
  throw new Error("no phone");
};
const inputSchema = jsonSchema({ type: "object", properties: {} });
const make = (execute) => tool({ description: "Where Ann is.", inputSchema, execute });
const { text } = await generateText({
  model: new MockLanguageModelV4({ doGenerate }),
  tools: { room: make(room), phone: make(phone) },
  stopWhen: isStepCount(2),
  prompt: "Where is Ann?",
});
await provider.forceFlush();
console.log("answer:", text);
const { attributes } = exporter.getFinishedSpans().find(({ name }) => name.startsWith("invoke_agent"));
for (const { role, parts } of JSON.parse(attributes["gen_ai.output.messages"])) {
  console.log(`${role}:`, parts.map(({ content, name, response }) => content ?? name ?? response).join(" | "));
}
console.log("OpenInference:", attributes["llm.output_messages.0.message.content"]);
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "$found"
[ "$found" = "answer: Ann is on the left.
assistant: Ann is on the left. | room | phone | Room 12.
OpenInference: Room 12." ]
