#!/usr/bin/env bash
# langchain-anthropic 1.7.10 with anthropic 2.14.0, and mlflow-tracing 3.17.2 behind it: a question writes a thousand
# tokens to Claude's cache. `cache_creation` is 1,000 if the answer is streamed, and 0 if it comes in one piece.
#
# Guess: `usage_metadata` of a stream is the same as for the answer in one piece, and `cache_creation` is the number of
# tokens written to the cache. (A write for one hour costs twice the price of other input; a write for five minutes,
# 1.25 times.)
# Seen: In one piece, `cache_creation` is set to 0, and the tokens are beside it, by how long they are kept. In a
# stream, `cache_creation` has them, and the time is lost. MLflow reads only `cache_creation`, so it counts no write for
# the answer in one piece, and for the stream a write that looks like one for five minutes. Its trace of Anthropic's own
# client has the number and the time. So prices by these counts differ for one answer, and the two by way of LangChain
# are too low.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow-tracing==3.17.2 anthropic==2.14.0 \
    langchain==1.5.2 langchain-core==1.8.3 langchain-anthropic==1.7.10
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import mlflow
from langchain_anthropic import ChatAnthropic

usage = {"input_tokens": 10, "output_tokens": 30, "cache_read_input_tokens": 4000, "cache_creation_input_tokens": 1000}
by_time = {"cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 1000}}
message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_sequence": None}
events = [
    {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage | by_time}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Ann."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
    {"type": "message_stop"},
]
whole = {**message, "content": [{"type": "text", "text": "Ann."}], "stop_reason": "end_turn", "usage": usage | by_time}

experiment = {"experiment": {"experiment_id": "1", "lifecycle_stage": "active"}}


class Server(BaseHTTPRequestHandler):
    """Answers in place of Anthropic, and of an MLflow server that takes each trace."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if asked.get("stream"):
            stream = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            return self.send("".join(stream), "text/event-stream")
        self.send(json.dumps(whole if self.path.endswith("/messages") else experiment))

    def send(self, answer, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(answer.encode())

    do_GET = do_POST


def show(span):
    counts = span.get_attribute("mlflow.chat.tokenUsage")
    print("  MLflow:", *(f"{key}={count}" for key, count in counts.items() if key.startswith("cache_creation")))


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
mlflow.set_tracking_uri(address)
mlflow.set_experiment("talks")
mlflow.tracing.configure(span_processors=[show])
mlflow.langchain.autolog()
model = ChatAnthropic(model="claude-sonnet-4-5", anthropic_api_url=address, api_key="none")
print("in one piece:")
counts = model.invoke("Who?").usage_metadata["input_token_details"]
print("  LangChain:", *(f"{key}={count}" for key, count in counts.items() if key != "cache_read"))
print("in a stream:")
first, *rest = model.stream("Who?")
counts = sum(rest, first).usage_metadata["input_token_details"]
print("  LangChain:", *(f"{key}={count}" for key, count in counts.items() if key != "cache_read"))
print("the client:")
mlflow.anthropic.autolog()
client = anthropic.Anthropic(base_url=address, api_key="none")
client.messages.create(model="claude-sonnet-4-5", max_tokens=100, messages=[{"role": "user", "content": "Who?"}])
PROGRAM
export MLFLOW_ENABLE_ASYNC_TRACE_LOGGING=false MLFLOW_DISABLE_TELEMETRY=true
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-anthropic==1.7.10, mlflow-tracing==3.17.2:" $found
[ "$found" = "in one piece:
  MLflow: cache_creation_input_tokens=0
  LangChain: cache_creation=0 ephemeral_5m_input_tokens=0 ephemeral_1h_input_tokens=1000
in a stream:
  MLflow: cache_creation_input_tokens=1000
  LangChain: cache_creation=1000
the client:
  MLflow: cache_creation_input_tokens=1000 cache_creation_input_tokens_above_1hr=1000" ]
