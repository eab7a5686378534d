#!/usr/bin/env bash
# litellm 1.110.2: with its cache on, the second equal question is an ImportError.
#
# Guess: `litellm.cache = litellm.Cache()` keeps answers in memory, and needs no more than the first answer did.
# Seen: The first question is asked and kept. The second one finds its answer, and to tell whether that is a stream of
# Anthropic's, it imports the pass-through handlers of the proxy server, which need FastAPI and more of the extra
# `proxy`: it fails, though its answer is there, and so does each equal question after it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check litellm==1.110.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Oslo."}}
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
import litellm

litellm.cache = litellm.Cache()
for _ in range(2):
    try:
        reply = litellm.completion(
            model="openai/m",
            api_base=f"http://127.0.0.1:{server.server_port}/v1",
            api_key="none",
            messages=[{"role": "user", "content": "What is the capital of Norway?"}],
            caching=True,
        )
        print(reply.choices[0].message.content)
    except ImportError as error:
        print(type(error).__name__, error)
    for _ in range(100):  # the answer is kept by a thread
        if litellm.cache.cache.cache_dict:
            break
        time.sleep(0.1)
PROGRAM
found=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "litellm==1.110.2: $found"
[ "$found" = "Oslo.
ModuleNotFoundError No module named 'fastapi'" ]
