#!/usr/bin/env bash
# langchain-anthropic 1.7.10 beside pydantic-ai-slim 2.68.0: if the user stops a Claude stream after the first word, it
# has no tokens, although its first event reports 5,010 of input.
#
# Guess: Anthropic reports the input at the start of a stream, so it is known however the stream goes on. The input is
# paid even if nobody waits for the end.
# Seen: LangChain takes the counts from the last event only, and from the first one just the name of the model. So the
# chunks that came have no usage. `get_usage_metadata_callback` is empty too, as if nothing had been asked, so a user
# who stops each answer never uses up a budget. pydantic-ai has the 5,010.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check anthropic==2.14.0 langchain-core==1.8.3 \
    langchain-anthropic==1.7.10 "pydantic-ai-slim[anthropic]==2.68.0"
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_anthropic import ChatAnthropic
from langchain_core.callbacks import get_usage_metadata_callback
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

usage = {"input_tokens": 10, "cache_read_input_tokens": 5000, "cache_creation_input_tokens": 0, "output_tokens": 1}
message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
events = [
    {"type": "message_start", "message": message},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Ann"}},
]
enough = threading.Event()


class Server(BaseHTTPRequestHandler):
    """Answers with the first word, and says no more until the reader has gone."""

    def do_POST(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()
        enough.wait(60)


async def read_first_word(agent):
    async with agent.run_stream("Where is Ann?") as result:
        async for _ in result.stream_text(delta=True):
            enough.set()
            return result.usage


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
with get_usage_metadata_callback() as callback:
    stream = ChatAnthropic(model="claude-sonnet-4-5", base_url=address, api_key="none").stream("Where is Ann?")
    chunks = [next(stream)]
    while not chunks[-1].text:
        chunks.append(next(stream))
    enough.set()
    stream.close()
print("LangChain:", callback.usage_metadata, {chunk.usage_metadata and 1 for chunk in chunks})
enough.clear()
model = AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(base_url=address, api_key="none"))
counts = asyncio.run(read_first_word(Agent(model)))
print("pydantic-ai:", counts.input_tokens, counts.cache_read_tokens)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo $found
[ "$found" = "LangChain: {} {None}
pydantic-ai: 5010 5000" ]
