#!/usr/bin/env bash
# @ai-sdk/cohere 4.0.52 with ai 7.0.173 (npm), beside langchain-cohere 0.6.0: words beside a tool call are lost, both
# those that Cohere says and those that it should be sent.
#
# Guess: An assistant's message can have words and calls. Cohere has a field for such words, `tool_plan`, so they are
# read from it and written to it, or at least kept in the program's history.
# Seen: Cohere's plan is in no text, thought or message of the answer. If another model began the talk, the text beside
# each call is left out of the request to Cohere, without a warning: of "Your code is 4711. I look for a table." only
# the call is sent, and Cohere does not know the code. langchain-cohere sends the text as the plan. (Cohere refuses
# `content` beside calls, so upstream took the text out; issue 5794.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-cohere==0.6.0 langchain-core==1.8.3 cohere==5.21.1
npm install --silent --no-fund --no-audit ai@7.0.173 @ai-sdk/cohere@4.0.52 zod@4.6.7 > /dev/null 2>&1
cat > answer.json <<'ANSWER'
{"id": "x", "generation_id": "x", "finish_reason": "TOOL_CALL",
 "usage": {"tokens": {"input_tokens": 1, "output_tokens": 1}, "billed_units": {"input_tokens": 1, "output_tokens": 1}},
 "message": {"role": "assistant", "tool_plan": "Ann eats no nuts.", "tool_calls": [
   {"id": "b", "type": "function", "function": {"name": "find", "arguments": "{\"city\": \"Oslo\"}"}}]}}
ANSWER
cat > program.mjs <<'PROGRAM'
import { createCohere } from "@ai-sdk/cohere";
import { generateText, jsonSchema, tool } from "ai";
import { readFileSync } from "node:fs";

let sent;
const fetch = async (_, { body }) => {
  sent = JSON.parse(body);
  return Response.json(JSON.parse(readFileSync("answer.json", "utf8")));
};
const call = { toolCallId: "a", toolName: "find" };
const said = { type: "text", text: "Your code is 4711. I look for a table." };
const result = await generateText({
  model: createCohere({ apiKey: "none", fetch })("command-a-03-2025"),
  tools: { find: tool({ inputSchema: jsonSchema({ type: "object" }) }) },
  messages: [
    { role: "user", content: "A table in Oslo." },
    { role: "assistant", content: [said, { type: "tool-call", ...call, input: { city: "Oslo" } }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: "Kro" } }] },
    { role: "user", content: "What is my code?" },
  ],
});
const knows = (what, text) => JSON.stringify(what).includes(text);
const kept = [result.text, result.reasoningText ?? "", result.responseMessages];
console.log("ai: sent", knows(sent, "4711"), "kept", knows(kept, "nuts"), "warnings", result.warnings.length);
PROGRAM
cat > program.py <<'PROGRAM'
from langchain_cohere.chat_models import get_cohere_chat_request_v2
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

call = {"id": "a", "name": "find", "args": {"city": "Oslo"}}
request = get_cohere_chat_request_v2([
    HumanMessage("A table in Oslo."),
    AIMessage("Your code is 4711. I look for a table.", tool_calls=[call]),
    ToolMessage("Kro", tool_call_id="a"),
    HumanMessage("What is my code?"),
])
print("langchain: sent", "4711" in request["messages"][1].tool_plan)
PROGRAM
found=$(node program.mjs && venv/bin/python -W ignore program.py)
echo $found
[ "$found" = "ai: sent false kept false warnings 0
langchain: sent True" ]
