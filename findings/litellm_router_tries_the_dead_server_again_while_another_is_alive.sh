#!/usr/bin/env bash
# litellm 1.110.2: a router with a dead server and one that is alive fails some questions, as it tries the dead one
# again.
#
# Guess: Two deployments of one name are there so that the second answers where the first cannot: after an error, the
# next try goes to the other one, and with the two retries that a router makes by default no question fails.
# Seen: Each try picks one of the two at random, the one that has just failed among them; so one in eight questions is
# asked of the dead server three times and fails, and the one that is alive is never asked. Only after several failures
# within a minute is the dead one left out, and that is forgotten with the router: a program that is started for each
# question never gets there. With `fallbacks` from one name to another, each question is answered. (Pull request 40014
# of litellm leaves out a server that refused the request, and none that failed.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check litellm==1.110.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm


class Server(BaseHTTPRequestHandler):
    """Answers for the model "alive", and is down for the model "dead"."""

    def do_POST(self):
        model = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["model"]
        self.server.asked.append(model)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
        body = {"id": "a", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
        self.send_response(200 if model == "alive" else 500)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body if model == "alive" else {"error": {"message": "Down."}}).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"


def deployment(name, model):
    return {"model_name": name, "litellm_params": {"model": f"openai/{model}", "api_base": address, "api_key": "key"}}


def failed(make):
    """The number of 80 questions, each to a new router, that fail, and the tries of the dead server for one of them."""
    failures, most = 0, 0
    for _ in range(80):
        server.asked = []
        try:
            make().completion(model="chat", messages=[{"role": "user", "content": "Hello?"}])
        except litellm.InternalServerError:
            failures += 1
            most = max(most, server.asked.count("dead"))
            assert "alive" not in server.asked
    return failures, most


random.seed(1)
count, most = failed(lambda: litellm.Router([deployment("chat", "dead"), deployment("chat", "alive")]))
print(f"of 80, some fail: {0 < count < 30}, tries of each {most}")
count, _ = failed(
    lambda: litellm.Router(
        [deployment("chat", "dead"), deployment("other", "alive")], fallbacks=[{"chat": ["other"]}], num_retries=0
    )
)
print(f"of 80 with fallbacks, fail: {count}")
PROGRAM
export LITELLM_LOCAL_MODEL_COST_MAP=True
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null | grep "^of 80")
echo "litellm==1.110.2:" $found
[ "$found" = "of 80, some fail: True, tries of each 3
of 80 with fallbacks, fail: 0" ]
