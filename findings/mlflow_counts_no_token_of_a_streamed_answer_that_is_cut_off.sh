#!/usr/bin/env bash
# mlflow-tracing 3.17.2 with openai 3.57.0: if a Responses API stream is cut off at `max_output_tokens`, its trace has
# no tokens, no model and no reason; for the same answer in one piece, it has all three.
#
# Guess: A stream is traced like the same answer in one piece. An answer that stops at its limit is paid to the last
# token, and the trace says that it is incomplete, and why.
# Seen: For MLflow, only the event `response.completed` ends a stream, and this one ends with `response.incomplete`. So
# MLflow builds the traced response from the pieces, without model, status and usage. Two streams of 2,500 tokens add up
# to 2,500. The response has neither the status "incomplete" nor the limit as the reason; only the message inside it
# still has its own status.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow-tracing==3.17.2 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mlflow
import openai

usage = {"input_tokens": 500, "output_tokens": 2000, "total_tokens": 2500}
usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}


class Server(BaseHTTPRequestHandler):
    """Answers in place of OpenAI, and of an MLflow server that takes each trace."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if not self.path.endswith("/responses"):
            return self.send(json.dumps({"experiment": {"experiment_id": "1", "lifecycle_stage": "active"}}))
        status = "incomplete" if asked["max_output_tokens"] == 2000 else "completed"
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": status}
        item |= {"content": [{"type": "output_text", "text": "Ann ", "annotations": []}]}
        answer = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5", "status": status}
        answer |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "output": [item], "usage": usage}
        answer |= {"incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None}
        events = [{"type": "response.output_item.done", "output_index": 0, "item": item, "sequence_number": 0}]
        events.append({"type": f"response.{status}", "response": answer, "sequence_number": 1})
        if asked["stream"]:
            self.send("".join(f"data: {json.dumps(event)}\n\n" for event in events), "text/event-stream")
        else:
            self.send(json.dumps(answer))

    def send(self, answer, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(answer.encode())

    do_GET = do_POST


def show(span):
    tokens = (span.get_attribute("mlflow.chat.tokenUsage") or {}).get("total_tokens")
    told = [span.outputs[key] for key in ("model", "status", "incomplete_details")]
    print(f"  {tokens} tokens,", *told, "with a message that is", span.outputs["output"][0]["status"])


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
mlflow.set_tracking_uri(address)
mlflow.set_experiment("talks")
mlflow.tracing.configure(span_processors=[show])
mlflow.openai.autolog()
client = openai.OpenAI(base_url=address, api_key="none")
for limit, stream in ((3000, False), (3000, True), (2000, False), (2000, True)):
    print(f"limit of {limit}, {'in a stream' if stream else 'in one piece'}:")
    list(client.responses.create(model="gpt-5", input="Who?", max_output_tokens=limit, stream=stream))
PROGRAM
export MLFLOW_ENABLE_ASYNC_TRACE_LOGGING=false MLFLOW_DISABLE_TELEMETRY=true
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mlflow-tracing==3.17.2:" $found
[ "$found" = "limit of 3000, in one piece:
  2500 tokens, gpt-5 completed None with a message that is completed
limit of 3000, in a stream:
  2500 tokens, gpt-5 completed None with a message that is completed
limit of 2000, in one piece:
  2500 tokens, gpt-5 incomplete {'reason': 'max_output_tokens'} with a message that is incomplete
limit of 2000, in a stream:
  None tokens, None None None with a message that is incomplete" ]
