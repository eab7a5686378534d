#!/usr/bin/env bash
# opentelemetry-instrumentation-openai 0.62.4 with openai 2.54.0: once a picture is in a talk, no message of it is in
# the trace.
#
# Guess: A picture that is sent as base64 is traced as it is, or left out, and the words around it are traced in any
# case. (The option `upload_base64_image` is for those who keep pictures elsewhere.)
# Seen: The option's default is a function that returns "", which is awaited. The TypeError is caught and logged at the
# level DEBUG, and the span has no `gen_ai.input.messages`: no system prompt, no question. As each later request repeats
# the talk, none of them has its messages either; answers and tokens are traced. A picture with the address of a page is
# traced, and so are pictures in the Responses API. (A review said so on pull request 3340, of August 2025.)
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


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "I see."}}
        data = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = OpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1")
for picture in ("https://example.com/receipt.png", "data:image/png;base64,iVBORw0KGgo="):
    talk = [{"role": "system", "content": "Ann eats no nuts."}]
    parts = [{"type": "text", "text": "May Ann eat this?"}, {"type": "image_url", "image_url": {"url": picture}}]
    for question in ("Hello", parts, "And Bob?", "Thanks"):
        talk.append({"role": "user", "content": question})
        answer = client.chat.completions.create(model="gpt-5", messages=talk).choices[0].message.content
        talk.append({"role": "assistant", "content": answer})
    traces = [span.attributes for span in spans.get_finished_spans()]
    print(
        picture.split(":")[0],
        [len(json.loads(trace.get("gen_ai.input.messages", "[]"))) for trace in traces],
        [len(json.loads(trace.get("gen_ai.output.messages", "[]"))) for trace in traces],
    )
    spans.clear()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "opentelemetry-instrumentation-openai==0.62.4: $found"
[ "$found" = "https [2, 4, 6, 8] [1, 1, 1, 1]
data [2, 0, 0, 0] [1, 1, 1, 1]" ]
