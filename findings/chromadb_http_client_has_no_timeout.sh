#!/usr/bin/env bash
# chromadb 1.5.9: `HttpClient` has no time-out, and no setting for one.
#
# Guess: Its HTTP client gives up at some time, as httpx does after 5 seconds by default.
# Seen: It is made with `timeout=None`, so a server that accepts and never answers holds it for ever.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check chromadb==1.5.9
cat > "$folder/program.py" <<'PROGRAM'
import socket

import httpx

made = []
begin = httpx.Client.__init__


def record(self, *args, **kwargs):
    made.append(kwargs.get("timeout", "httpx's own"))
    begin(self, *args, **kwargs)
    self.timeout = 1  # or this program would not end


httpx.Client.__init__ = record
import chromadb

with socket.create_server(("127.0.0.1", 0)) as silent:
    try:
        chromadb.HttpClient(host="127.0.0.1", port=silent.getsockname()[1])
    except Exception as error:
        print(made[0], type(error.__context__ or error).__name__)
print([name for name in chromadb.Settings().model_dump() if "timeout" in name and "http" in name])
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "chromadb==1.5.9: $found"
[ "$found" = $'None ReadTimeout\n[]' ]
