#!/usr/bin/env bash
# opentelemetry-instrumentation-anthropic 0.62.4, openinference-instrumentation-anthropic 3.1.0 and logfire 5.4.0: a
# tool that failed is traced as one that did its work.
#
# Guess: In a trace of messages, a result with `is_error` can be told from one without, as Claude can tell them; so
# failures of tools can be counted in traces, and a talk that is put together from them says what happened.
# Seen: Two talks whose result has the same words, 404, once as an error and once as the number that was asked for, are
# the same messages in all three: the mark is in none of their attributes for messages. OpenInference has it in
# `input.value` alone, the whole request as one text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check anthropic==2.14.0 \
    opentelemetry-sdk==1.45.2 opentelemetry-instrumentation-anthropic==0.62.4 \
    openinference-instrumentation-anthropic==3.1.0 logfire==5.4.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import logfire
from anthropic import Anthropic
from openinference.instrumentation.anthropic import AnthropicInstrumentor as OpenInferenceInstrumentor
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        data = {"id": "1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn"}
        data |= {"content": [{"type": "text", "text": "Good."}], "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
for name in ("openllmetry", "openinference", "logfire"):
    client = Anthropic(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}")
    spans, provider = InMemorySpanExporter(), TracerProvider()
    processor = SimpleSpanProcessor(spans)
    provider.add_span_processor(processor)
    if name == "logfire":
        logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[processor])
        logfire.instrument_anthropic(client)
    else:
        instrumentor = AnthropicInstrumentor() if name == "openllmetry" else OpenInferenceInstrumentor()
        instrumentor.instrument(tracer_provider=provider)
    for error in (False, True):
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "404", "is_error": error}
        talk = [
            {"role": "user", "content": "How many letters are there?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "count", "input": {}}]},
            {"role": "user", "content": [result]},
        ]
        client.messages.create(model="claude-sonnet-4-5", max_tokens=100, messages=talk)
    if name != "logfire":
        instrumentor.uninstrument()
    good, failed = (dict(span.attributes) for span in spans.get_finished_spans())
    messages = [key for key in good if "messages" in key]
    differ = [key for key in good.keys() | failed.keys() if good.get(key) != failed.get(key)]
    print(name, "messages:", bool(messages), "differ:", *sorted(key for key in differ if not key.startswith("code.")))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "openllmetry messages: True differ:
openinference messages: True differ: input.value
logfire messages: True differ:" ]
