#!/usr/bin/env bash
# pytest-recording 0.14.1: two tests of one prompt each share a recording, if the prompts differ in a sign only.
#
# Guess: Each case of a parametrized test has a cassette of its own, named after the test and its parameter; so each
# prompt is asked once when the tests are recorded.
# Seen: In the name of the file, * / \ ? : < > | % and quotation marks all become "-" (a comment in the source calls a
# collision too unlikely). "6*3=" and "6/3=" are one file, so while the tests are recorded the second prompt is not
# asked: it gets the answer to the first, and so in each replay. In words ("6 times 3", "6 over 3") both are asked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pytest-recording==0.14.1 vcrpy==9.4.2 \
    requests==2.34.2
cat > "$folder/conftest.py" <<'PROGRAM'
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        prompt = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"answer to {prompt}".encode())

    def log_message(self, *_):
        pass


def pytest_configure():
    server = ThreadingHTTPServer(("127.0.0.1", int(Path("port").read_text())), Model)
    Path("port").write_text(str(server.server_port))
    threading.Thread(target=server.serve_forever, daemon=True).start()
PROGRAM
cat > "$folder/test_prompts.py" <<'PROGRAM'
from pathlib import Path

import pytest
import requests


@pytest.mark.vcr
@pytest.mark.parametrize("prompt", ["6*3=", "6/3=", "6 times 3", "6 over 3"])
def test_prompt(prompt):
    answer = requests.post(f"http://127.0.0.1:{Path('port').read_text()}/", data=prompt)
    print(f"{prompt}: {answer.text}")
PROGRAM
cd "$folder"
echo 0 > port
found=$(venv/bin/python -m pytest -q -s -p no:cacheprovider --record-mode=once test_prompts.py | grep -o "6.*: answer.*")
echo "pytest-recording==0.14.1:" $found
[ "$found" = "6*3=: answer to 6*3=
6/3=: answer to 6*3=
6 times 3: answer to 6 times 3
6 over 3: answer to 6 over 3" ]
