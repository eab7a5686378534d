#!/usr/bin/env bash
# llama-index-core 0.14.25: if a turn fails after a tool was called, the call and its result stand behind the next
# question, as if that question had asked for them, and the history keeps this order.
#
# Guess: If the model cannot be reached and a turn fails, the conversation keeps nothing of that turn, or keeps the
# question with the call and the result behind it.
# Seen: The question is in the memory; the call and its result are in the agent's context, where a turn notes its steps.
# The next turn finds them there: "Book a table.", then "Is it dear?", then the call that books, and "Booked." So the
# model reads that a question about the price booked a table. When that turn is done, they are written to the memory in
# this order, and the turn after it has them so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
    llama-index-workflows==2.26.1 llama-index-llms-openai==0.8.3 pydantic==2.13.5
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI

call = {"id": "call_1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
answers = [{"content": "Hello."}, {"content": None, "tool_calls": [call]}, None]
answers += [{"content": "No."}, {"content": "Yes."}]
asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        answer = answers.pop(0)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **(answer or {})}}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
        self.send_response(200 if answer else 503)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


def book() -> str:
    """Book a table."""
    return "Booked."


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    model = OpenAI(model="gpt-4o", api_base=url, api_key="-", max_retries=0)
    agent = FunctionAgent(tools=[book], llm=model, streaming=False)
    ctx, memory = Context(agent), Memory.from_defaults()
    for question in ["I am Ann.", "Book a table.", "Is it dear?", "Thanks."]:
        try:
            await agent.run(question, ctx=ctx, memory=memory)
        except Exception as error:
            assert "503" in str(error)
            continue
        print(*(message["content"] or "[call]" for message in asked[-1]))


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "llama-index-core==0.14.25:" $found
[ "$found" = "I am Ann.
I am Ann. Hello. Book a table. Is it dear? [call] Booked.
I am Ann. Hello. Book a table. Is it dear? [call] Booked. No. Thanks." ]
