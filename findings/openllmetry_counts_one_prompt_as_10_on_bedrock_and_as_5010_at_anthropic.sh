#!/usr/bin/env bash
# opentelemetry-instrumentation-bedrock and -anthropic 0.62.4: the same prompt of Claude, most of it cached, has 10
# tokens by one and 5,010 by the other.
#
# Guess: `gen_ai.usage.input_tokens` means one thing in traces of one library, so prompts can be added up over two
# providers. (By the conventions of OpenTelemetry it includes what came from a cache.)
# Seen: Both providers report the 10 tokens that were not cached, and 5,000 beside them. That of Anthropic adds them up,
# and that of Bedrock does not. On Bedrock, the total is then 40 tokens, where the answer itself says 5,040. Who moves a
# cached prompt of 5,000 tokens to Bedrock sees it shrink to a five-hundredth.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check anthropic==2.14.0 boto3==1.44.8 \
    opentelemetry-sdk==1.45.2 opentelemetry-instrumentation-anthropic==0.62.4 \
    opentelemetry-instrumentation-bedrock==0.62.4
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import anthropic
import boto3
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
from opentelemetry.instrumentation.bedrock import BedrockInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        if "anthropic-version" in self.headers:
            data = {"id": "1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn"}
            data["content"] = [{"type": "text", "text": "Oslo."}]
            data["usage"] = {"input_tokens": 10, "output_tokens": 30, "cache_read_input_tokens": 5000}
        else:
            message = {"role": "assistant", "content": [{"text": "Oslo."}]}
            data = {"output": {"message": message}, "stopReason": "end_turn", "metrics": {"latencyMs": 1}}
            data["usage"] = {"inputTokens": 10, "outputTokens": 30, "totalTokens": 5040, "cacheReadInputTokens": 5000}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_):
        pass


def asks_anthropic():
    client = anthropic.Anthropic(api_key="none", base_url=url)
    client.messages.create(model="claude-sonnet-4-5", max_tokens=100, messages=[{"role": "user", "content": "Where?"}])


def asks_bedrock():
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none", "region_name": "us-east-1"}
    client = boto3.client("bedrock-runtime", endpoint_url=url, **keys)
    client.converse(modelId="anthropic.claude-sonnet", messages=[{"role": "user", "content": [{"text": "Where?"}]}])


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
for instrumentor, asks in ((AnthropicInstrumentor(), asks_anthropic), (BedrockInstrumentor(), asks_bedrock)):
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    instrumentor.instrument(tracer_provider=provider)
    asks()
    trace = spans.get_finished_spans()[0].attributes
    print(asks.__name__, trace["gen_ai.usage.input_tokens"], trace["gen_ai.usage.total_tokens"])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "opentelemetry-instrumentation-bedrock==0.62.4: $found"
[ "$found" = "asks_anthropic 5010 5040
asks_bedrock 10 40" ]
