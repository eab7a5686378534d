#!/usr/bin/env bash
# mlflow-tracing 3.17.2 with pydantic-ai-slim 2.68.0: if one agent asks another through a tool, the trace counts 320 of
# the 5,720 tokens that the models report.
#
# Guess: A trace has the tokens of all its requests: a count that both an agent and its request have is added once, and
# a second agent's count is added to it.
# Seen: MLflow looks no further below a span that has a count. The outer agent's count covers its own requests only,
# because pydantic-ai leaves it to the program to share counts (`usage=ctx.usage`). The inner agent's span is below it,
# so its count is left out. If the program shares counts, the trace has all tokens. So if a cheap agent asks an
# expensive one, the trace shows the cheap one's tokens only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow-tracing==3.17.2 pydantic-ai-slim==2.68.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mlflow
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

sent = []


class Server(BaseHTTPRequestHandler):
    """A server of MLflow with one experiment, which takes each trace."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if self.path.endswith("/mlflow/traces"):
            sent.append(body["trace"]["trace_info"]["trace_metadata"])
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        experiment = {"experiment_id": "1", "name": "talks", "lifecycle_stage": "active"}
        self.wfile.write(json.dumps(body or {"experiment": experiment}).encode())

    do_GET = do_POST


def answer_outer(messages, _):
    if len(messages) == 1:
        call = ToolCallPart("ask", {"name": "Ann"}, "call_1")
        return ModelResponse(parts=[call], usage=RequestUsage(input_tokens=100, output_tokens=10))
    return ModelResponse(parts=[TextPart("In Oslo.")], usage=RequestUsage(input_tokens=200, output_tokens=10))


def answer_inner(messages, _):
    return ModelResponse(parts=[TextPart("Oslo.")], usage=RequestUsage(input_tokens=5000, output_tokens=400))


def show(span):
    counts = span.get_attribute("mlflow.chat.tokenUsage")
    if counts and span.name.endswith("request"):
        requests.append(counts["total_tokens"])


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
mlflow.set_tracking_uri(f"http://127.0.0.1:{server.server_port}")
mlflow.set_experiment("talks")
mlflow.tracing.configure(span_processors=[show])
mlflow.pydantic_ai.autolog()
inner = Agent(FunctionModel(answer_inner), name="inner")
for shared in (False, True):
    requests = []
    outer = Agent(FunctionModel(answer_outer), name="outer")

    @outer.tool
    async def ask(context: RunContext, name: str) -> str:
        return (await inner.run(name, usage=context.usage if shared else None)).output

    outer.run_sync("Where is Ann?")
    total = json.loads(sent[-1]["mlflow.trace.tokenUsage"])["total_tokens"]
    print(f"shared: {shared}, requests: {sum(requests)}, trace: {total}")
PROGRAM
export MLFLOW_ENABLE_ASYNC_TRACE_LOGGING=false MLFLOW_DISABLE_TELEMETRY=true
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mlflow-tracing==3.17.2:" $found
[ "$found" = "shared: False, requests: 5720, trace: 320
shared: True, requests: 5720, trace: 5720" ]
