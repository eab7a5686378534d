#!/usr/bin/env bash
# requests-cache 1.3.3: two texts that are embedded in another order get each other's vectors from the cache.
#
# Guess: A cached POST is found by its URL and its body, normalized for "variations that do not modify response
# content": the keys of an object have no order, and the items of a list have one.
# Seen: A body that is a list is sorted for the key. A server that takes a bare list of texts and answers with a list of
# vectors, as txtai's `batchtransform` does, is asked for ["cat", "boat"] once; ["boat", "cat"] gets that answer, so cat
# and boat change vectors. As {"input": [...]}, the form of OpenAI, the same lists are two requests.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check requests-cache==1.3.3 requests==2.34.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from requests_cache import CachedSession


class Embedder(BaseHTTPRequestHandler):
    """The vector of a text is its length."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = body["input"] if isinstance(body, dict) else body
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps([[len(text)] for text in texts]).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Embedder)
threading.Thread(target=server.serve_forever, daemon=True).start()
session = CachedSession(backend="memory", allowable_methods=["POST"])
for form in (lambda texts: texts, lambda texts: {"input": texts}):
    for texts in (["cat", "boat"], ["boat", "cat"]):
        answer = session.post(f"http://127.0.0.1:{server.server_port}", json=form(texts))
        print(json.dumps(form(texts)), answer.json(), "from the cache" if answer.from_cache else "asked")
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "requests-cache==1.3.3:" $found
[ "$found" = '["cat", "boat"] [[3], [4]] asked
["boat", "cat"] [[3], [4]] from the cache
{"input": ["cat", "boat"]} [[3], [4]] asked
{"input": ["boat", "cat"]} [[4], [3]] asked' ]
