#!/usr/bin/env bash
# openai 3.57.0: the text of an `APIConnectionError` names no address.
#
# Guess: It says which server could not be reached.
# Seen: It is `Connection error.`, whatever `base_url` is; only the request that it carries has the address.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import socket

import openai

with socket.socket() as one:  # nobody listens on this port
    one.bind(("127.0.0.1", 0))
    port = one.getsockname()[1]
try:
    openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0).models.list()
except openai.APIConnectionError as error:
    print(error, error.request.url.port == port)
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "openai==3.57.0: $found"
[ "$found" = "Connection error. True" ]
