#!/usr/bin/env bash
# warcio 1.8.1 with requests 2.34.2: the archive of Ann's calls to a model has Bob's too, and Bob's has none; calls in
# threads are not archived at all.
#
# Guess: `capture_http` archives all calls within its block, and nothing after it. A client may reuse an open
# connection, as a server's one `Session` does; that makes no difference.
# Seen: warcio looks for the block when a connection is opened, and the connection keeps that block's archive. So the
# session that called for Ann writes Bob's call, from the next block, into Ann's archive, and a call outside all blocks
# as well. A session that was used before the block writes nowhere. In a pool of threads, as for a batch of questions,
# nothing is archived, as each thread has its own block. No error is raised. (Where the archives are files, the second
# block ends with an error: issue 147 of warcio.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check warcio==1.8.1 requests==2.34.2 urllib3==2.8.0
cat > "$folder/program.py" <<'PROGRAM'
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from warcio.archiveiterator import ArchiveIterator
from warcio.capture_http import capture_http

import requests  # after warcio, as its manual says


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        question = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", len(question))
        self.end_headers()
        self.wfile.write(question)

    def log_message(self, *_):
        pass


def archived(writer):
    records = ArchiveIterator(io.BytesIO(writer.get_contents()))
    return [record.content_stream().read().decode() for record in records if record.rec_type == "request"]


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"
with requests.Session() as session, requests.Session() as used:
    with capture_http() as ann:
        session.post(address, data="from Ann")
    with capture_http() as bob:
        session.post(address, data="from Bob")
    session.post(address, data="from nobody")
    used.post(address, data="before")
    with capture_http() as later:
        used.post(address, data="later")
    with capture_http() as batch, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda text: requests.post(address, data=text), ["one", "two"]))
for name, writer in (("Ann", ann), ("Bob", bob), ("later", later), ("batch", batch)):
    print(f"{name}:", ", ".join(archived(writer)) or "nothing")
server.shutdown()
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "Ann: from Ann, from Bob, from nobody
Bob: nothing
later: nothing
batch: nothing" ]
