#!/usr/bin/env bash
# llama-index-llms-google-genai 0.11.3 with llama-index-llms-openai 0.8.3: a call by Gemini gets the name of its tool as
# its id, so at OpenAI all calls of one tool share an id, and so do their results.
#
# Guess: If a provider gives calls no ids, as Gemini 2.5, the library makes one up for each call, so that the memory
# suits every model and shows which result belongs to which call.
# Seen: Two calls of `find`, for Ann and for Bob, both have the id "find". Gemini is sent them without an id, and their
# order tells them apart. At OpenAI, both results answer the call "find", and only their order says who is in Oslo and
# who is in Rome.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
    llama-index-workflows==2.26.1 llama-index-llms-openai==0.8.3 llama-index-llms-google-genai==0.11.3 pydantic==2.13.5
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from google.genai.types import HttpOptions
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.llms.google_genai import GoogleGenAI
from llama_index.llms.openai import OpenAI

asked = []
people = {"Ann": "Oslo", "Bob": "Rome"}


class Model(BaseHTTPRequestHandler):
    def answer(self, answer):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def do_GET(self):
        self.answer({"name": "models/gemini-2.5-flash", "inputTokenLimit": 100000, "outputTokenLimit": 8000})

    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        calls = [{"functionCall": {"name": "find", "args": {"who": name}}} for name in people]
        parts = [{"text": "Found."}] if "functionResponse" in json.dumps(asked[-1]) else calls
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
        answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
        self.answer({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **answer})

    def log_message(self, *_):
        pass


def find(who: str) -> str:
    """Find somebody."""
    return people[who]


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url, memory = f"http://127.0.0.1:{server.server_port}", Memory.from_defaults()
    gemini = GoogleGenAI(model="gemini-2.5-flash", api_key="-", http_options=HttpOptions(base_url=url))
    for model in (gemini, OpenAI(model="gpt-4o", api_base=url, api_key="-")):
        await FunctionAgent(tools=[find], llm=model, streaming=False).run("Where are they?", memory=memory)
    print("Ids at Gemini:", json.dumps(asked[1]["contents"]).count('"id"'))
    messages = asked[-1]["messages"]
    print("Calls:", *(call["id"] for message in messages for call in message.get("tool_calls", [])))
    print("Results:", *(f"{m['tool_call_id']}={m['content']}" for m in messages if m["role"] == "tool"))


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "llama-index-llms-google-genai==0.11.3:" $found
[ "$found" = "Ids at Gemini: 0
Calls: find find
Results: find=Oslo find=Rome" ]
