#!/usr/bin/env bash
# llama-index-core 0.14.25 with llama-index-workflows 2.26.1 and pydantic 2.14.4: an agent that is given the same
# context at each turn forgets the turns before, and a chat store cannot be saved. With pydantic 2.13.5 it remembers.
#
# Guess: `agent.run(question, ctx=ctx)` continues the conversation in the context, which has a `ChatMemoryBuffer` if no
# other memory is given. Both versions of pydantic meet the requirement of llama-index-core (2.8 or newer).
# Seen: At the second turn, the model is sent the new question alone, without an error. Between two turns the context is
# serialized and read back, and the memory cannot be serialized: in pydantic 2.14, the handler of a WrapSerializer takes
# LlamaIndex's second argument for a key. The context leaves the memory out, with a warning that says that this is
# expected, and a new, empty one takes its place. `SimpleChatStore.persist` raises the error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
    llama-index-workflows==2.26.1 llama-index-llms-openai==0.8.3 pydantic==2.14.4
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pydantic
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.workflow import Context
from llama_index.llms.openai import OpenAI

asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello."}}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    model = OpenAI(model="gpt-4o", api_base=f"http://127.0.0.1:{server.server_port}/v1", api_key="-")
    agent = FunctionAgent(tools=[], llm=model, streaming=False)
    ctx = Context(agent)
    for question in ["I am Ann.", "Who am I?"]:
        await agent.run(question, ctx=ctx)
    store = SimpleChatStore()
    store.add_message("ann", ChatMessage("I am Ann."))
    try:
        store.persist("store.json")
        saved = "saved"
    except Exception as error:
        saved = type(error).__name__
    print(pydantic.VERSION, *(message["content"] for message in asked[-1]), saved)


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
venv/bin/pip install --quiet --disable-pip-version-check pydantic==2.13.5
found+=$'\n'$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "llama-index-core==0.14.25 with pydantic:" $found
[ "$found" = "2.14.4 Who am I? PydanticSerializationError
2.13.5 I am Ann. Hello. Who am I? saved" ]
