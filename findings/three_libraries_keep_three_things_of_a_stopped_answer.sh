#!/usr/bin/env bash
# llama-index-core 0.14.25, agno 3.1.10 and pydantic-ai-slim 2.68.0: of an answer that the user stopped, one keeps all,
# one keeps the question alone, and one not even that.
#
# Guess: A user who reads "One two" and presses "stop" has a talk with the question and "One two" in it; so has the
# model at the next turn.
# Seen: None does that, and none says so. LlamaIndex reads the stream to its end in a thread, and the model is shown an
# answer that nobody saw. pydantic-ai keeps the question without an answer. agno, with a database, leaves out the whole
# turn, so that "that" in the next question points to nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 agno==3.1.10 \
    pydantic-ai-slim==2.68.0 openai==3.3.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agno.agent import Agent as AgnoAgent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory
from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel

words = ["One ", "two ", "three ", "four"]


def llama_index():
    class Model(MockLLM):
        def stream_chat(self, messages, **_):
            for number, word in enumerate(words, 1):
                message = ChatMessage(role="assistant", content="".join(words[:number]))
                yield ChatResponse(message=message, delta=word)

    memory = Memory.from_defaults(tokenizer_fn=str.split)
    engine = SimpleChatEngine.from_defaults(llm=Model(), memory=memory)
    for number, _ in enumerate(engine.stream_chat("Count.").response_gen, 1):
        if number == 2:
            break
    time.sleep(0.5)
    return [message.content for message in engine.chat_history]


def pydantic_ai():
    async def stream(messages, _):
        for word in words:
            yield word

    async def main():
        number = 0
        async with Agent(FunctionModel(stream_function=stream)).run_stream("Count.") as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                number += 1
                if number == 2:
                    break
        return [part.content for message in result.all_messages() for part in message.parts]

    return asyncio.run(main())


def agno():
    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked = [message["content"] for message in request["messages"]]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for word in words:
                choice = {"index": 0, "finish_reason": None, "delta": {"role": "assistant", "content": word}}
                chunk = {"id": "a", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model = OpenAIChat(id="m", api_key="key", base_url=f"http://127.0.0.1:{server.server_port}/v1")
    agent = AgnoAgent(model=model, db=InMemoryDb(), add_history_to_context=True, session_id="1", telemetry=False)
    for question in ("Hello.", "Count.", "Why that?"):
        number = 0
        for event in agent.run(question, stream=True):
            number += bool(getattr(event, "content", None))
            if question == "Count." and number == 2:
                break
    return server.asked


for library in (llama_index, pydantic_ai, agno):
    print(library.__name__, library())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "llama-index-core==0.14.25, agno==3.1.10, pydantic-ai-slim==2.68.0:" $found
[ "$found" = "llama_index ['Count.', 'One two three four']
pydantic_ai ['Count.']
agno ['Hello.', 'One two three four', 'Why that?']" ]
