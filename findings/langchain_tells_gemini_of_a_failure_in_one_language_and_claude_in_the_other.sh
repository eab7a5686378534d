#!/usr/bin/env bash
# langchain-anthropic 1.7.10, langchain-google-genai 4.4.3 and langchain-aws 1.9.1 with @langchain/anthropic 1.5.11,
# @langchain/google-genai 2.3.2 and @langchain/aws 1.4.5 (npm): when a tool fails, Claude is told so in Python only, and
# Gemini in JavaScript only.
#
# Guess: `status="error"` of a ToolMessage, which LangChain itself sets when a tool raises, reaches each provider that
# has a place for it (`is_error`, `status`, `error`), in both languages.
# Seen: Take two talks with the same result, 404, once as an error and once as the number that was asked for. For Claude
# and Bedrock in JavaScript, and for Gemini in Python, they are the same request. So the model may answer, in one
# language, that Ann's room is 404, and a test in the other does not show it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-core==1.8.3 langchain-anthropic==1.7.10 \
    langchain-google-genai==4.4.3 langchain-aws==1.9.1
npm install --silent --no-fund --no-audit --legacy-peer-deps @langchain/core@1.4.0 @langchain/anthropic@1.5.11 \
    @langchain/google-genai@2.3.2 @langchain/aws@1.4.5 zod@4.6.7 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatBedrockConverse } from "@langchain/aws";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

let sent;
const take = (body) => {
  sent = body.toString();
  throw new Error("not sent");
};
globalThis.fetch = async (url, options) => take(url instanceof Request ? await url.text() : options.body);
const credentials = { accessKeyId: "none", secretAccessKey: "none" };
const requestHandler = { handle: async ({ body }) => take(body) };
const client = new BedrockRuntimeClient({ region: "us-east-1", credentials, requestHandler, maxAttempts: 1 });
const claude = "anthropic.claude-3-5-sonnet-20240620-v1:0";
const models = {
  Claude: new ChatAnthropic({ apiKey: "none", model: "claude-sonnet-4-5", maxRetries: 0 }),
  Bedrock: new ChatBedrockConverse({ model: claude, region: "us-east-1", client, maxRetries: 0 }),
  Gemini: new ChatGoogleGenerativeAI({ apiKey: "none", model: "gemini-2.5-flash", maxRetries: 0 }),
};
for (const [name, model] of Object.entries(models)) {
  const requests = [];
  for (const status of ["success", "error"]) {
    const call = new AIMessage({ content: "", tool_calls: [{ id: "a", name: "room", args: {}, type: "tool_call" }] });
    const result = new ToolMessage({ content: "404", tool_call_id: "a", name: "room", status });
    await model.invoke([new HumanMessage("Where is Ann?"), call, result]).catch(() => {});
    requests.push(sent);
  }
  console.log("JavaScript,", `${name}:`, requests[0] === requests[1] ? "one" : "two");
}
PROGRAM
cat > program.py <<'PROGRAM'
from langchain_anthropic import ChatAnthropic
from langchain_aws.chat_models.bedrock_converse import _messages_to_bedrock
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_google_genai.chat_models import _parse_chat_history

claude = ChatAnthropic(api_key="none", model="claude-sonnet-4-5")
talks = []
for status in ("success", "error"):
    call = AIMessage("", tool_calls=[{"id": "a", "name": "room", "args": {}}])
    result = ToolMessage("404", tool_call_id="a", name="room", status=status)
    talks.append([HumanMessage("Where is Ann?"), call, result])
for name, convert in (
    ("Claude", claude._get_request_payload),
    ("Bedrock", _messages_to_bedrock),
    ("Gemini", lambda talk: _parse_chat_history(talk, model="gemini-2.5-flash")),
):
    print("Python,", f"{name}:", "one" if convert(talks[0]) == convert(talks[1]) else "two")
PROGRAM
found=$(node program.mjs 2> /dev/null && venv/bin/python -W ignore program.py)
echo $found
[ "$(echo $found)" = "JavaScript, Claude: one JavaScript, Bedrock: one JavaScript, Gemini: two\
 Python, Claude: two Python, Bedrock: two Python, Gemini: one" ]
