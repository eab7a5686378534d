#!/usr/bin/env bash
# llama-index-llms-openai 0.8.3 with llama-index-llms-bedrock-converse 0.15.5: if another class of model began a
# conversation with a call, OpenAI is sent the call in forms that its APIs do not have.
#
# Guess: A `ChatMessage` is the same for all models. `OpenAIResponses` can go on with a conversation of `OpenAI`, and
# `OpenAI` with one of `BedrockConverse`: calls and results are converted, as they are from `OpenAIResponses` to
# `OpenAI`.
# Seen: The Responses API is sent a call of chat completions as it came, as an item of the type "function" with the call
# inside. Its result is converted and refers to a call that is not there. For chat completions, Bedrock's call is
# converted, but its message also has a "tool_call_id", an empty list; only messages of tools may have that member.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
    llama-index-llms-openai==0.8.3 llama-index-llms-bedrock-converse==0.15.5 pydantic==2.13.5
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import boto3
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.bedrock_converse import BedrockConverse
from llama_index.llms.openai import OpenAI, OpenAIResponses

asked = []
counts = dict.fromkeys("input_tokens output_tokens total_tokens inputTokens outputTokens totalTokens".split(), 1)
counts |= {"output_tokens_details": {"reasoning_tokens": 0}, "input_tokens_details": {"cached_tokens": 0}}
function = {"name": "find", "arguments": "{}"}
item = {"type": "function_call", "id": "fc_1", "call_id": "c1", **function}
call = {"id": "c1", "type": "function", "function": function}
choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
content = [{"toolUse": {"toolUseId": "c1", "name": "find", "input": {}}}]
answers = {
    "responses": {"object": "response", "created_at": 1, "status": "completed", "parallel_tool_calls": True}
    | {"output": [item], "tool_choice": "auto", "tools": [], "usage": counts},
    "completions": {"object": "chat.completion", "created": 1, "choices": [choice]},
    "converse": {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"}
    | {"usage": counts, "metrics": {"latencyMs": 1}},
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        answer = next(answers[part] for part in answers if part in self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": "1", "model": "m", **answer}).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
keys = {"region_name": "us-east-1", "aws_access_key_id": "-", "aws_secret_access_key": "-"}
client = boto3.client("bedrock-runtime", endpoint_url=url, **keys)
bedrock = BedrockConverse(model="anthropic.claude-3-5-sonnet-20240620-v1:0", client=client, **keys)
chat, responses = (kind(model="gpt-4o", api_base=url, api_key="-") for kind in (OpenAI, OpenAIResponses))
tools = [FunctionTool.from_defaults(lambda: "Oslo", name="find", description="Find Ann.")]
for first, then in [(responses, responses), (chat, responses), (responses, chat), (bedrock, chat)]:
    message = first.chat_with_tools(tools, user_msg="Where is Ann?").message
    result = ChatMessage("Oslo", role="tool", additional_kwargs={"tool_call_id": "c1"})
    then.chat_with_tools(tools, chat_history=[ChatMessage("Where is Ann?"), message, result])
    sent, answer = (asked[-1].get("messages") or asked[-1]["input"])[1:]
    values = [sent.get("type"), sent.get("tool_call_id"), answer.get("type"), answer.get("call_id")]
    print(*sorted(sent), *(value for value in values if value is not None))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "llama-index-llms-openai==0.8.3:" $found
[ "$found" = "arguments call_id name type function_call function_call_output c1
function id type function function_call_output c1
content role tool_calls
content role tool_call_id tool_calls []" ]
