#!/usr/bin/env bash
# @langfuse/langchain 5.11.1 (npm): the logged result of a tool has the tool's name as its role, and no id of its call.
#
# Guess: A log of messages has the roles of messages: the result of a tool has the role "tool", with the id of the call.
# Seen: The role is the name of the tool, so that roles are an open set, and a reader of logs that goes by roles loses the
# result or refuses the log. After two calls of one tool, nothing says which result is whose.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @langfuse/langchain@5.11.1 @langfuse/tracing@5.11.1 @langchain/core@1.4.0 \
  @opentelemetry/api@1.9.0 @opentelemetry/sdk-trace-base@2.12.1 > /dev/null
cat > program.mjs <<'PROGRAM'
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { CallbackHandler } from "@langfuse/langchain";
import { setLangfuseTracerProvider } from "@langfuse/tracing";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const kept = new InMemorySpanExporter();
setLangfuseTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] }));
const call = { name: "look", args: {}, id: "c1", type: "tool_call" };
const messages = [
  new HumanMessage("What is it?"),
  new AIMessage({ content: "", tool_calls: [call] }),
  new ToolMessage({ content: "fig", name: "look", tool_call_id: "c1" }),
];
await new FakeListChatModel({ responses: ["A fig."] }).invoke(messages, { callbacks: [new CallbackHandler()] });
const [span] = kept.getFinishedSpans();
for (const message of JSON.parse(span.attributes["langfuse.observation.input"])) {
  console.log(message.role, "tool_call_id" in message);
}
PROGRAM
found=$(node program.mjs)
echo "@langfuse/langchain@5.11.1:" $found
[ "$found" = "user false
assistant false
look false" ]
