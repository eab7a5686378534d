#!/usr/bin/env bash
# mlflow-tracing 3.17.2 beside mlflow-skinny 3.17.2: a program that names its experiment in the environment, or nowhere,
# is not traced at all.
#
# Guess: The small package is meant for production and traces as the large ones do. If the program sets no experiment,
# the one in `MLFLOW_EXPERIMENT_NAME` or `MLFLOW_EXPERIMENT_ID` is used, or else the default one.
# Seen: After `set_experiment` in the program, its trace is sent. With only the environment, as in a container, no span
# begins: the lookup uses names that the small package does not import, and the NameError is logged at the level DEBUG
# only. The program runs on, and its traces are kept nowhere. mlflow-skinny sends a trace in each case. (Known upstream:
# issue 17619 of mlflow, open since September 2025; pull request 23350 would mend it.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/program.py" <<'PROGRAM'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mlflow

sent = []


class Server(BaseHTTPRequestHandler):
    """A server of MLflow with one experiment, which takes each trace."""

    def do_GET(self):
        self.send({"experiment": {"experiment_id": "7", "name": "talks", "lifecycle_stage": "active"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/mlflow/traces"):
            sent.append(body)
        self.send(body)

    def send(self, answer):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
mlflow.set_tracking_uri(f"http://127.0.0.1:{server.server_port}")
if sys.argv[1] == "program":
    mlflow.set_experiment("talks")


@mlflow.trace
def ask(question):
    return "Ann is in Oslo."


ask("Where is Ann?")
print(len(sent))
PROGRAM
export MLFLOW_ENABLE_ASYNC_TRACE_LOGGING=false MLFLOW_DISABLE_TELEMETRY=true
found=""
for package in mlflow-skinny mlflow-tracing; do
    python3 -m venv "$folder/$package"
    "$folder/$package/bin/pip" install --quiet --disable-pip-version-check "$package==3.17.2"
    run() { "$folder/$package/bin/python" -W ignore "$folder/program.py" "$1" 2> /dev/null; }
    found+="$package: $(run program) $(MLFLOW_EXPERIMENT_NAME=talks run environment)"
    found+=" $(MLFLOW_EXPERIMENT_ID=7 run environment) $(run nowhere)
"
done
echo $found
[ "$found" = "mlflow-skinny: 1 1 1 1
mlflow-tracing: 1 0 0 0
" ]
