#!/usr/bin/env bash
# respx 0.23.1 and pook 2.1.6 with openai 3.57.0: requests of the client go past the mock to the network, with the key.
#
# Guess: A mock of httpx that is switched on answers the client of OpenAI, as it has done since version 1.0, or raises
# an error for a request that it does not know, as respx does by default.
# Seen: Since version 3 the client sends by httpx2, which neither of them patches. The server answers in the place of
# the mock, and is sent the key; only a check at the end that a route was called can tell. httpx in the same process is
# mocked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0 respx==0.23.1 \
    pook==2.1.6 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import openai
import pook
import respx


def completion(words):
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    return {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


class Network(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(completion(f"network, {self.headers['Authorization']}")).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Network)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"
url = f"{address}/chat/completions"


def ask(name):
    client = openai.OpenAI(api_key="key", base_url=address)
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
    by_httpx = httpx.post(url, json={}).json()
    print(f"{name}: openai {answer.choices[0].message.content};", "httpx", by_httpx["choices"][0]["message"]["content"])


with respx.mock as router:
    router.post(url).mock(return_value=httpx.Response(200, json=completion("mock")))
    ask("respx")
with pook.use(network=False):
    pook.post(url, reply=200, response_json=completion("mock"), persist=True)
    ask("pook")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "respx==0.23.1, pook==2.1.6, openai==3.57.0:" $found
[ "$found" = "respx: openai network, Bearer key; httpx mock
pook: openai network, Bearer key; httpx mock" ]
