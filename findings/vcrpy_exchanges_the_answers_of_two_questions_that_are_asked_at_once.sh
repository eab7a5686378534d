#!/usr/bin/env bash
# vcrpy 9.4.2: two questions that are asked at once get each other's answers in a replay.
#
# Guess: A cassette gives each request the answer that was recorded for it: two questions that `asyncio.gather` asks at
# once have other bodies, and the cassette has both bodies.
# Seen: By default the body is not compared, so all questions to a model are one request, and are answered in the order
# of the file. That is the order in which the answers came in, while a replay asks in the order of the program. If the
# first question took longer when it was recorded, each gets the other's answer, in each replay, without an error. With
# "body" in `match_on` each gets its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check vcrpy==9.4.2 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import vcr


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["question"]
        time.sleep(0.5 if question == "figs?" else 0)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"about {question}".encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()


async def ask(question):
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"http://127.0.0.1:{server.server_port}/", json={"question": question})
    return f"{question} {answer.text};"


async def main():
    matchers = ["method", "scheme", "host", "port", "path", "query"]
    for mode, match_on in (("once", matchers), ("none", matchers), ("none", [*matchers, "body"])):
        with vcr.use_cassette(sys.argv[1], record_mode=mode, match_on=match_on):
            print(mode, *await asyncio.gather(ask("figs?"), ask("tea?")))


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/cassette.yaml")
echo "vcrpy==9.4.2:" $found
[ "$found" = "once figs? about figs?; tea? about tea?;
none figs? about tea?; tea? about figs?;
none figs? about figs?; tea? about tea?;" ]
