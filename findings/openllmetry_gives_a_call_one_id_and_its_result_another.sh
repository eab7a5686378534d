#!/usr/bin/env bash
# opentelemetry-instrumentation-openai 0.62.4 with openai 2.54.0: in traces of the Responses API, a call of a tool has
# another id than its result.
#
# Guess: A result, a `tool_call_response`, names its call by the id that the `tool_call` has in the trace, as in traces
# of chat completions.
# Seen: The id of the call is that of its item, "fc_1", in the answer and also in the next request, into which a program
# puts the items of the answer as they are; the result beside it has "call_1". No two belong together, so of two calls
# of one tool, only their order tells which result is whose.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==2.54.0 opentelemetry-sdk==1.45.2 \
    opentelemetry-instrumentation-openai==0.62.4
cd "$folder"
cat > program.py <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from openai import OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

arguments = {"call_1": '{"who": "Ann"}', "call_2": '{"who": "Bob"}'}
items = [
    {"type": "function_call", "id": name.replace("call", "fc"), "call_id": name, "name": "find", "arguments": text}
    for name, text in arguments.items()
]
response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5", "status": "completed"}
response |= {"output": items, "tools": []}
functions = {name: {"name": "find", "arguments": text} for name, text in arguments.items()}
calls = [{"id": name, "type": "function", "function": function} for name, function in functions.items()]
choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": calls}}
completion = {"id": "chat_1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(response if "responses" in self.path else completion).encode())

    def log_message(self, *_):
        pass


def ids(trace, attribute):
    messages = json.loads(trace[attribute])
    return [part["id"] for message in messages for part in message["parts"] if part["type"].startswith("tool_call")]


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = OpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1")
talk = [{"role": "user", "content": "Where are Ann and Bob?"}]
results = [{"role": "tool", "tool_call_id": call, "content": "Oslo"} for call in arguments]
client.chat.completions.create(model="gpt-5", messages=[*talk, choice["message"], *results])
results = [{"type": "function_call_output", "call_id": call, "output": "Oslo"} for call in arguments]
client.responses.create(model="gpt-5", input=[*talk, *items, *results])
for name, span in zip(("chat", "responses"), spans.get_finished_spans()):
    print(name, *ids(span.attributes, "gen_ai.input.messages"), "|", *ids(span.attributes, "gen_ai.output.messages"))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "opentelemetry-instrumentation-openai==0.62.4: $found"
[ "$found" = "chat call_1 call_2 call_1 call_2 | call_1 call_2
responses fc_1 fc_2 call_1 call_2 | fc_1 fc_2" ]
