#!/usr/bin/env bash
# responses 0.26.3: its recorder garbles each streamed answer that is not in English.
#
# Guess: `_recorder.record` writes down what the server sent, so that a replay gives the same bytes, streamed or not.
# Seen: It writes `response.text`. An event stream names no charset, as it is always UTF-8, and for text without one
# requests takes Latin-1: "ö" becomes two letters, and a Chinese character three. A replay encodes those as UTF-8. The
# same words as JSON come back as they were sent, and so does a stream in English.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check responses==0.26.3 requests==2.34.1
cat > "$folder/program.py" <<'PROGRAM'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
import responses
from responses import _recorder

words = {"english": "Ann has a cat.", "german": "Ann mag Köln.", "chinese": "她喜欢猫。"}
kinds = {"json": ("application/json", "{}"), "stream": ("text/event-stream", "data: {}\n\n")}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        _, kind, language = self.path.split("/")
        name, form = kinds[kind]
        body = form.replace("{}", json.dumps({"content": words[language]}, ensure_ascii=False)).encode()
        self.send_response(200)
        self.send_header("Content-Type", name)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
paths = [f"{kind}/{language}" for kind in kinds for language in words]


def ask():
    return [requests.post(f"http://127.0.0.1:{server.server_port}/{path}").content.decode() for path in paths]


sent = _recorder.record(file_path=sys.argv[1])(ask)()
with responses.RequestsMock() as replay:
    replay._add_from_file(sys.argv[1])
    for path, was, now in zip(paths, sent, ask()):
        print(path, "the same" if was == now else f"{len(was)} characters, then {len(now)}")
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" "$folder/recorded.yaml")
echo "responses==0.26.3:" $found
[ "$found" = "json/english the same
json/german the same
json/chinese the same
stream/english the same
stream/german 36 characters, then 37
stream/chinese 28 characters, then 38" ]
