#!/usr/bin/env bash
# cassetter 0.16.1: a replay answers more requests than were recorded, with the first answer again.
#
# Guess: Its table of vcrpy's options has `allow_playback_repeats` as not supported, so each recording is played once,
# and a replay of a program that asks once more fails: record mode `none` "raises if no match found".
# Seen: Two requests are recorded, and seven are answered, also if bodies are compared. An agent that asks its model in a
# loop gets the answers of its first steps again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cassetter==0.16.1 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import cassetter
import httpx

answers = iter(["first", "second"])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        content = next(answers).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def ask(step):
    return httpx.post(f"http://127.0.0.1:{server.server_port}/", json={"step": step}).text


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with cassetter.use_cassette("run.yaml", record_mode="all"):
    ask(1), ask(2)
server.shutdown()
server.server_close()
with cassetter.use_cassette("run.yaml", record_mode="none"):
    print(*[ask(step) for step in (1, 2, 3, 4)])
with cassetter.use_cassette("run.yaml", record_mode="none", match_on=["method", "uri", "body"]):
    print(*[ask(step) for step in (1, 1, 1)])
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "cassetter==0.16.1: $found"
[ "$found" = "first second first first
first first first" ]
