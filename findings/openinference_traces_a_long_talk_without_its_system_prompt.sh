#!/usr/bin/env bash
# openinference-instrumentation-openai 0.1.66 with opentelemetry-sdk 1.45.2: the recorded call of a long talk has
# neither the request, nor the answer, nor the first 38 of 100 messages.
#
# Guess: The span of a call has what was asked and what was answered, however long the talk; if there is a limit, what
# came last is cut, as in the SDK for JavaScript.
# Seen: Each message is two attributes, and a span of the SDK keeps the 128 that were set last. So what was set first
# goes: from 58 messages on the whole request (`input.value`), later the answer (`output.value`) and the system prompt.
# Only the log says so, once an attribute. OpenInference has a provider of its own, which keeps 10,000. (The limit is
# known upstream for JavaScript.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openinference-instrumentation-openai==0.1.66 \
    openinference-instrumentation==0.1.72 opentelemetry-sdk==1.45.2 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from openinference.instrumentation import TracerProvider as OwnProvider
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "Yes."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        text = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(text).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(api_key="key", base_url=f"http://127.0.0.1:{server.server_port}/v1")
for provider in (TracerProvider(), OwnProvider()):
    spans = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    for count in (55, 60, 100):
        messages = [{"role": "system", "content": "Be kind."}]
        messages += [{"role": ("user", "assistant")[n % 2], "content": str(n)} for n in range(count - 1)]
        client.chat.completions.create(model="m", messages=messages)
        span = spans.get_finished_spans()[-1].attributes
        left = [name for name in ("input.value", "output.value") if name in span]
        first = next(n for n in range(count) if f"llm.input_messages.{n}.message.content" in span)
        print(count, "messages:", *left, "messages from", first)
    OpenAIInstrumentor().uninstrument()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "openinference-instrumentation-openai==0.1.66:" $found
[ "$found" = "55 messages: input.value output.value messages from 0
60 messages: output.value messages from 0
100 messages: messages from 38
55 messages: input.value output.value messages from 0
60 messages: input.value output.value messages from 0
100 messages: input.value output.value messages from 0" ]
