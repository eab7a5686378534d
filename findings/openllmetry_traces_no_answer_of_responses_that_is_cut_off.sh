#!/usr/bin/env bash
# opentelemetry-instrumentation-openai 0.62.4 with openai 2.54.0: an answer of the Responses API that is cut off at
# `max_output_tokens` leaves no trace, and its tokens are counted nowhere.
#
# Guess: Each request has a span, and an answer that stopped at its limit says so in it, as the same answer of chat
# completions does ("length"); its tokens are paid, and so they are counted.
# Seen: A span is only made for a response whose status is "completed". One that is "incomplete" is returned to the
# program, and no span is made: 3 requests of 2,000 tokens each are 2 spans, with 4,000 tokens. As a stream, each of the
# answers has a span.
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
from uuid import uuid4

from openai import OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        cut = 1000 in asked.values()
        if "responses" in self.path:
            part = {"type": "output_text", "text": "Once upon", "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
            data = {"id": f"resp_{uuid4()}", "object": "response", "created_at": 1, "model": "gpt-5"}
            data |= {"output": [item], "tools": [], "status": "incomplete" if cut else "completed"}
            data |= {"incomplete_details": {"reason": "max_output_tokens"} if cut else None}
            data["usage"] = {"input_tokens": 1000, "output_tokens": 1000, "total_tokens": 2000}
        else:
            message = {"role": "assistant", "content": "Once upon"}
            choice = {"index": 0, "finish_reason": "length" if cut else "stop", "message": message}
            data = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}
            data["usage"] = {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
        body = json.dumps(data)
        if asked.get("stream"):
            event = {"type": f"response.{data['status']}", "response": data, "sequence_number": 0}
            body = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if asked.get("stream") else "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = OpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1")
for name in ("chat", "responses", "stream"):
    for limit in (2000, 1000, 2000):
        talk = [{"role": "user", "content": "Tell me a story."}]
        if name == "chat":
            client.chat.completions.create(model="gpt-5", messages=talk, max_completion_tokens=limit)
        else:
            stream = name == "stream"
            list(client.responses.create(model="gpt-5", input=talk, max_output_tokens=limit, stream=stream))
    print(name, *(span.attributes.get("gen_ai.usage.total_tokens") for span in spans.get_finished_spans()))
    spans.clear()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "opentelemetry-instrumentation-openai==0.62.4: $found"
[ "$found" = "chat 2000 2000 2000
responses 2000 2000
stream 2000 2000 2000" ]
