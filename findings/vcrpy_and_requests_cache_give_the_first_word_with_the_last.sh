#!/usr/bin/env bash
# vcrpy 9.4.2 and requests-cache 1.3.3, beside hishel 2.0.0: an answer that is recorded or cached for the first time
# reaches the program when it is complete, and not word by word.
#
# Guess: A recorder or a cache passes on each piece of a stream as it comes, and keeps a copy. A user who stops the
# answer after its first word has that word, with a recorder and without.
# Seen: Both read the whole answer before the program gets anything: with vcrpy, under requests and under httpx, and
# with requests-cache, the first piece is the whole answer. So a test of "stop" stops nothing, and the time to the first
# word is the time to the last. hishel passes on the first word at once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check vcrpy==9.4.2 requests-cache==1.3.3 \
    "hishel[httpx]==2.0.0" requests==2.34.2 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import requests
import requests_cache
import vcr
from hishel.httpx import CacheClient


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"4\r\none \r\n")
        read.wait(3)
        self.wfile.write(b"9\r\ntwo three\r\n0\r\n\r\n")

    def log_message(self, *_):
        pass


def with_requests(session=requests):
    with session.get(url, stream=True) as answer:
        return next(answer.iter_content(None)).decode()


def with_httpx(client=httpx):
    with client.stream("GET", url) as answer:
        return next(answer.iter_text())


def recorded(ask):
    with vcr.use_cassette(f"{ask.__name__}.yaml"):
        return ask()


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"
for name, ask in {
    "requests": with_requests,
    "httpx": with_httpx,
    "vcrpy with requests": lambda: recorded(with_requests),
    "vcrpy with httpx": lambda: recorded(with_httpx),
    "requests-cache": lambda: with_requests(requests_cache.CachedSession(backend="memory")),
    "hishel": lambda: with_httpx(CacheClient()),
}.items():
    read = threading.Event()
    print(f"{name}: {ask()}".rstrip())
    read.set()
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo $found
[ "$found" = "requests: one
httpx: one
vcrpy with requests: one two three
vcrpy with httpx: one two three
requests-cache: one two three
hishel: one" ]
