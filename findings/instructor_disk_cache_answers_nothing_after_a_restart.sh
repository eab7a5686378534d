#!/usr/bin/env bash
# instructor 1.17.0: a program that is started again asks the model for everything that is in its cache on disk.
#
# Guess: `DiskCache` does what a cache in memory cannot: after a restart, an equal question to the same server, with the
# same key, is answered from the folder.
# Seen: Each key has a random number that a client gets when it is made. So each start pays for all answers again, and
# adds another copy of them to the folder; of two clients in one process, each asks. Within one client, the cache
# answers, so a test of it passes. `cache_namespace`, given with each call, makes the folder answer after a restart.
# (That a namespace is a client's own by default, the docstring of an internal function says.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check instructor==1.17.0 openai==3.3.0 diskcache==5.6.3
cat > "$folder/ask.py" <<'PROGRAM'
import sys

import instructor
from instructor.cache import DiskCache
from openai import OpenAI
from pydantic import BaseModel


class Bill(BaseModel):
    due: str


address, path, *options = sys.argv[1:]
client = instructor.from_openai(OpenAI(api_key="key", base_url=address), cache=DiskCache(path))
messages = [{"role": "user", "content": "When is the bill due?"}]
for _ in range(2):
    client.chat.completions.create(
        model="m", response_model=Bill, messages=messages, **dict(option.split("=") for option in options)
    )
PROGRAM
cat > "$folder/program.py" <<'PROGRAM'
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from diskcache import Cache


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked += 1
        function = {"name": request["tools"][0]["function"]["name"], "arguments": '{"due": "4 March"}'}
        message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        body = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


folder = Path(sys.argv[1])
server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"
for name, options in (("default", []), ("named", ["cache_namespace=bills"])):
    server.asked = 0
    for _ in range(3):
        subprocess.run([sys.executable, folder / "ask.py", address, folder / name, *options], check=True)
    print(f"{name}: 3 starts, 6 questions, {server.asked} asked, {len(Cache(folder / name))} kept")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "instructor==1.17.0:" $found
[ "$found" = "default: 3 starts, 6 questions, 3 asked, 3 kept
named: 3 starts, 6 questions, 1 asked, 1 kept" ]
