#!/usr/bin/env bash
# @ai-sdk/amazon-bedrock 5.0.101 with ai 7.0.173, @langchain/aws 1.4.5 (npm), langchain-aws 1.9.1 and litellm 1.110.2
# (PyPI): a model that is to sum up a talk with tool calls is sent four different talks.
#
# Guess: A request for a summary, or for a title, has the talk and no tools; the model reads the results of the tools in
# it.
# Seen: Bedrock accepts no calls or results without tools, and each client has its own way out. The AI SDK drops both,
# with a warning: the summary cannot say where Ann is. litellm and langchain-aws turn them into text, and the user
# becomes the speaker of the results; an empty result is a full stop in langchain-aws, and "non-text" in litellm.
# LangChain for JavaScript sends calls and results, which the API refuses.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-core==1.8.3 langchain-aws==1.9.1 litellm==1.110.2
npm install --silent --no-fund --no-audit --legacy-peer-deps ai@7.0.173 @ai-sdk/amazon-bedrock@5.0.101 \
    @langchain/core@1.4.0 @langchain/aws@1.4.5 zod@4.6.7 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import { ChatBedrockConverse } from "@langchain/aws";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { generateText } from "ai";

const keys = { accessKeyId: "none", secretAccessKey: "none" };
const model = "anthropic.claude-3-5-sonnet-20240620-v1:0";
const show = (name) => async (body) => {
  const parts = JSON.parse(body).messages.flatMap(({ role, content }) => content.map((part) => ({ role, part })));
  for (const { role, part } of parts.slice(1, -1)) {
    console.log(`${name} ${role}: ${part.text ?? Object.keys(part)[0]}`);
  }
  throw new Error("not sent");
};
const fetch = (_, { body }) => show("ai")(body);
const requestHandler = { handle: ({ body }) => show("langchain for JavaScript")(body.toString()) };
const found = [["room", "Room 12."], ["notes", ""]];
const bedrock = createAmazonBedrock({ region: "us-east-1", ...keys, fetch });
const messages = [{ role: "user", content: "Where is Ann?" }, { role: "assistant", content: [] }];
const calls = found.map(([name]) => ({ id: name, name, args: {}, type: "tool_call" }));
const talk = [new HumanMessage("Where is Ann?"), new AIMessage({ content: "", tool_calls: calls })];
for (const [name, value] of found) {
  const call = { toolCallId: name, toolName: name };
  messages[1].content.push({ type: "tool-call", ...call, input: {} });
  messages.push({ role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value } }] });
  talk.push(new ToolMessage({ content: value, tool_call_id: name }));
}
messages.push({ role: "user", content: "Sum up." });
await generateText({ model: bedrock(model), messages, maxRetries: 0 }).catch(() => {});
const client = new BedrockRuntimeClient({ region: "us-east-1", credentials: keys, requestHandler, maxAttempts: 1 });
const langchain = new ChatBedrockConverse({ model, client, region: "us-east-1", maxRetries: 0 });
await langchain.invoke([...talk, new HumanMessage("Sum up.")]).catch(() => {});
PROGRAM
cat > program.py <<'PROGRAM'
from langchain_aws.chat_models.bedrock_converse import _convert_tool_blocks_to_text, _messages_to_bedrock
from langchain_core.messages import convert_to_messages
from litellm.llms.bedrock.chat.converse_transformation import AmazonConverseConfig

calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in ("room", "notes")]
talk = [
    {"role": "user", "content": "Where is Ann?"},
    {"role": "assistant", "content": "", "tool_calls": calls},
    {"role": "tool", "tool_call_id": "room", "content": "Room 12."},
    {"role": "tool", "tool_call_id": "notes", "content": ""},
    {"role": "user", "content": "Sum up."},
]
langchain = _convert_tool_blocks_to_text(_messages_to_bedrock(convert_to_messages(talk))[0])
options = {"optional_params": {}, "litellm_params": {}, "headers": {}}
model = "anthropic.claude-3-5-sonnet-20240620-v1:0"
litellm = AmazonConverseConfig().transform_request(model=model, messages=talk, **options)["messages"]
for name, messages in (("langchain", langchain), ("litellm", litellm)):
    parts = [(message["role"], part["text"]) for message in messages for part in message["content"]]
    for role, text in parts[1:-1]:
        print(name, f"{role}:", " ".join(text.split()))
PROGRAM
# Of the AI SDK, nothing is left between the first message and the last.
found=$(node program.mjs 2> /dev/null && LITELLM_LOCAL_MODEL_COST_MAP=True venv/bin/python program.py 2> /dev/null)
echo "$found"
[ "$found" = "langchain for JavaScript assistant: toolUse
langchain for JavaScript assistant: toolUse
langchain for JavaScript user: toolResult
langchain for JavaScript user: toolResult
langchain assistant: [Called room]
langchain assistant: [Called notes]
langchain user: [Tool output: Room 12.]
langchain user: [Tool output: .]
litellm assistant: [tool call room: room({})] [tool call notes: notes({})]
litellm user: [tool result for room: Room 12.]
litellm user: [tool result for notes: <non-text tool result omitted>]" ]
