#!/usr/bin/env bash
# requests-cache 1.3.3 and aiohttp-client-cache 0.15.0: Bob gets Ann's answer, although requests-cache was told to match
# the header `Authorization`, or, for the other one, the server named it in `Vary`.
#
# Guess: With `match_headers`, an HTTP cache keeps answers apart by the named headers. A server that has an answer for
# each user says so with `Vary: Authorization`, and a cache respects it.
# Seen: requests-cache has a list of keys that it hides from its files (`ignored_parameters`), and leaves these out of
# the cache key too. `Authorization` is in that list: with `match_headers=["Authorization"]` or `True`, Bob gets Ann's
# notes. If the server sends `Vary`, every request is sent again, Ann's second one too, as the hidden value never
# matches. With an empty list, this second case is right. aiohttp-client-cache with `cache_control=True` does not look
# at `Vary`; with `include_headers=True` it keeps the users apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check requests-cache==1.3.3 aiohttp-client-cache==0.15.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests_cache
from aiohttp_client_cache import CacheBackend, CachedSession


class Notes(BaseHTTPRequestHandler):
    def do_GET(self):
        global asked
        asked += 1
        self.send_response(200)
        self.send_header("Cache-Control", "max-age=600")
        if self.path == "/vary":
            self.send_header("Vary", "Authorization")
        self.end_headers()
        self.wfile.write(self.headers["Authorization"].removeprefix("Bearer ").encode())

    def log_message(self, *_):
        pass


def with_requests(path, **options):
    session = requests_cache.CachedSession(backend="memory", **options)
    return [session.get(url + path, headers={"Authorization": f"Bearer {user}"}).text for user in users]


def with_aiohttp(path, **options):
    async def ask():
        told = []
        async with CachedSession(cache=CacheBackend(**options)) as session:
            for user in users:
                async with session.get(url + path, headers={"Authorization": f"Bearer {user}"}) as answer:
                    told.append(await answer.text())
        return told

    return asyncio.run(ask())


server = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
threading.Thread(target=server.serve_forever, daemon=True).start()
url, users = f"http://127.0.0.1:{server.server_port}", ("Ann", "Ann", "Bob", "Bob")
by_header = {"match_headers": ["Authorization"]}
for run, path, options in (
    (with_requests, "/notes", by_header),
    (with_requests, "/notes", {"match_headers": True}),
    (with_requests, "/vary", by_header),
    (with_requests, "/vary", by_header | {"ignored_parameters": []}),
    (with_aiohttp, "/vary", {"cache_control": True}),
    (with_aiohttp, "/vary", {"include_headers": True}),
):
    asked = 0
    print(run.__name__, path, *options, *run(path, **options), asked)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo $found
[ "$found" = "with_requests /notes match_headers Ann Ann Ann Ann 1
with_requests /notes match_headers Ann Ann Ann Ann 1
with_requests /vary match_headers Ann Ann Bob Bob 4
with_requests /vary match_headers ignored_parameters Ann Ann Bob Bob 2
with_aiohttp /vary cache_control Ann Ann Ann Ann 1
with_aiohttp /vary include_headers Ann Ann Bob Bob 2" ]
