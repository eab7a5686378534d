#!/usr/bin/env bash
# aisuite 0.2.0 with anthropic 2.14.0: of two calls in one answer of Claude, the program gets the first, and as a stream
# both.
#
# Guess: An answer has all its calls, as `tool_calls` of OpenAI's format is a list, and a stream is the same answer in
# pieces. Of the tokens of a prompt, the cached ones are a part.
# Seen: The answer in one piece is read up to its first call, so Ann is paid and Bob never, and the history that goes on
# says that Claude had asked for Ann alone. The stream has both. Both count 10 tokens of a prompt, of which 5,000 were
# cached: those of Anthropic without the cache, beside those from it, in a format where the first number holds the
# second.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check aisuite==0.2.0 anthropic==2.14.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import aisuite

calls = [
    {"type": "tool_use", "id": f"toolu_{number}", "name": "pay", "input": {"to": name}}
    for number, name in enumerate(("Ann", "Bob"))
]
usage = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 5000, "output_tokens": 30}
answer = {"id": "1", "type": "message", "role": "assistant", "model": "model", "content": calls}
answer |= {"stop_reason": "tool_use", "usage": usage}


def events():
    yield {"type": "message_start", "message": answer | {"content": [], "stop_reason": None}}
    for index, call in enumerate(calls):
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": call | {"input": {}}}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}}
    yield {"type": "message_stop"}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        stream = json.loads(self.rfile.read(int(self.headers["content-length"]))).get("stream")
        body = json.dumps(answer)
        if stream:
            body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events())
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
client = aisuite.Client({"anthropic": {"api_key": "none", "base_url": f"http://127.0.0.1:{server.server_port}"}})
options = {"model": "anthropic:claude-sonnet-4-5", "messages": [{"role": "user", "content": "Pay Ann and Bob."}]}
whole = client.chat.completions.create(**options)
paid = [call.function.arguments for call in whole.choices[0].message.tool_calls]
print("answer", *paid, whole.usage.prompt_tokens, whole.usage.prompt_tokens_details.cached_tokens)
chunks = list(client.chat.completions.create(**options, stream=True))
deltas = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
last = chunks[-1].usage
paid = [call.function.arguments for call in deltas if call.function.arguments]
print("stream", *paid, last.prompt_tokens, last.prompt_tokens_details.cached_tokens)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "aisuite==0.2.0: $found"
[ "$found" = 'answer {"to": "Ann"} 10 5000
stream {"to": "Ann"} {"to": "Bob"} 10 5000' ]
