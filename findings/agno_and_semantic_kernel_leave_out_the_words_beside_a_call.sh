#!/usr/bin/env bash
# agno 3.1.10 with the Responses API and semantic-kernel 1.45.0 with chat completions: the model's words beside a tool
# call are not sent back to it, neither in the same turn nor in a later one.
#
# Guess: "I pay from the holiday money." beside the call that pays is part of the answer. It is in the history, and the
# model reads it together with the call and its result, so it can say later which money it took.
# Seen: Both libraries keep the words in their histories and leave them out of each request: of a message with calls,
# they send the calls only. The model knows less than its user. With chat completions, agno sends the words from the
# same session.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agno==3.1.10 sqlalchemy==2.1.9 openai==3.57.0 \
    semantic-kernel==1.45.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat, OpenAIResponses
from openai import AsyncOpenAI
from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import KernelPlugin, kernel_function

asked = []
words = "I pay from the holiday money."


def pay() -> str:
    return "Paid."


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        paid, tool = "Paid." in asked[-1], json.loads(asked[-1])["tools"][0]
        function = {"name": tool.get("function", tool)["name"], "arguments": "{}"}
        content = [{"type": "output_text", "text": "Done." if paid else words, "annotations": []}]
        said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        items = [said] if paid else [said, {"type": "function_call", "id": "fc_1", "call_id": "call_1", **function}]
        message = {"role": "assistant", "content": content[0]["text"]}
        message |= {} if paid else {"tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        answer = {"id": "1", "model": "m", "created": 1, "created_at": 1, "status": "completed", "tools": []}
        answer |= {"output": items, "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url, thread = f"http://127.0.0.1:{server.server_port}", ChatHistoryAgentThread()
    options = {"tools": [pay], "db": InMemoryDb(), "add_history_to_context": True, "telemetry": False}
    for kind in (OpenAIResponses, OpenAIResponses, OpenAIChat):
        await Agent(model=kind(id="gpt-4o", base_url=url, api_key="-"), **options).arun("Pay Ann.", session_id="ann")
        print("agno", kind.__name__, "Paid." in asked[-1], words in asked[-1])
    service = OpenAIChatCompletion(ai_model_id="gpt-4o", async_client=AsyncOpenAI(base_url=url, api_key="-"))
    agent = ChatCompletionAgent(service=service, plugins=[KernelPlugin(name="bank", functions=[kernel_function(pay)])])
    for _ in range(2):
        await agent.get_response(messages="Pay Ann.", thread=thread)
        history = "".join([str(message.items) async for message in thread.get_messages()])
        print("semantic-kernel", "Paid." in asked[-1], words in asked[-1], "history", words in history)


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "agno==3.1.10, semantic-kernel==1.45.0:" $found
[ "$found" = "agno OpenAIResponses True False
agno OpenAIResponses True False
agno OpenAIChat True True
semantic-kernel True False history True
semantic-kernel True False history True" ]
