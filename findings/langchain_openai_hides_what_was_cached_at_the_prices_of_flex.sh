#!/usr/bin/env bash
# langchain-openai 1.7.4, with openinference-instrumentation-langchain 0.1.80 and mlflow-tracing 3.17.2: with
# `service_tier="flex"`, MLflow's traces lack the cached tokens of a prompt. OpenInference's traces of streams lack
# these and the reasoning tokens.
#
# Guess: `usage_metadata` has one form for all models: `cache_read` is the cached part of a prompt, and `reasoning` the
# hidden part of an answer. Another tier is another price for the same tokens, and the answer names it.
# Seen: With "flex", and with "priority", the keys have other names, such as "flex_cache_read" and "flex_reasoning",
# beside "flex" for the rest. A reader of LangChain's usual keys finds nothing. MLflow counts none of the 4,000 cached
# tokens, so the prompt of 5,000 looks like one without a cache. OpenInference misses them in a stream; in one piece, it
# reads OpenAI's own form. (The docstring of `ChatOpenAI` says that the keys have the tier's name. Issue 40668 says that
# "flex" also includes the tokens written to the cache.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-openai==1.7.4 openai==3.57.0 \
    langchain-core==1.8.3 langchain==1.5.2 mlflow-tracing==3.17.2 \
    openinference-instrumentation-langchain==0.1.80 opentelemetry-sdk==1.45.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mlflow
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

usage = {"prompt_tokens": 5000, "completion_tokens": 430, "total_tokens": 5430}
usage |= {"prompt_tokens_details": {"cached_tokens": 4000}, "completion_tokens_details": {"reasoning_tokens": 400}}
experiment = {"experiment": {"experiment_id": "1", "lifecycle_stage": "active"}}


class Server(BaseHTTPRequestHandler):
    """Answers in place of OpenAI, and of an MLflow server that takes each trace."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if not self.path.endswith("/chat/completions"):
            return self.send(json.dumps(experiment))
        answer = {"id": "1", "created": 1, "model": "gpt-5", "service_tier": asked["service_tier"], "usage": usage}
        message = {"role": "assistant", "content": "Ann."}
        choice = {"index": 0, "finish_reason": "stop", "delta" if asked.get("stream") else "message": message}
        if not asked.get("stream"):
            return self.send(json.dumps({**answer, "object": "chat.completion", "choices": [choice]}))
        answer["object"] = "chat.completion.chunk"
        chunks = ({**answer, "choices": [choice], "usage": None}, {**answer, "choices": []})
        self.send("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "text/event-stream")

    do_GET = do_POST

    def send(self, answer, kind="application/json"):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(answer.encode())


def show(span):
    print("  MLflow:", span.get_attribute("mlflow.chat.tokenUsage").get("cache_read_input_tokens"), "cached")


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
mlflow.set_tracking_uri(address)
mlflow.set_experiment("talks")
mlflow.tracing.configure(span_processors=[show])
mlflow.langchain.autolog()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
LangChainInstrumentor().instrument(tracer_provider=provider)
for tier in ("default", "flex", "priority"):
    for name in ("invoke", "stream"):
        print(f"{tier}, {name}:")
        model = ChatOpenAI(model="gpt-5", base_url=address, api_key="none", service_tier=tier, stream_usage=True)
        answer = getattr(model, name)("Who?")
        answer = answer if name == "invoke" else list(answer)[-1]
        counts = spans.get_finished_spans()[-1].attributes
        cached, reasoning = "prompt_details.cache_read", "completion_details.reasoning"
        print("  OpenInference:", *(counts.get(f"llm.token_count.{key}") for key in (cached, reasoning)))
        if name == "invoke":
            usage_metadata = answer.usage_metadata
            print("  LangChain:", usage_metadata["input_token_details"], usage_metadata["output_token_details"])
PROGRAM
export MLFLOW_ENABLE_ASYNC_TRACE_LOGGING=false MLFLOW_DISABLE_TELEMETRY=true
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-openai==1.7.4:" $found
[ "$found" = "default, invoke:
  MLflow: 4000 cached
  OpenInference: 4000 400
  LangChain: {'cache_read': 4000} {'reasoning': 400}
default, stream:
  MLflow: 4000 cached
  OpenInference: 4000 400
flex, invoke:
  MLflow: None cached
  OpenInference: 4000 400
  LangChain: {'flex_cache_read': 4000, 'flex': 1000} {'flex_reasoning': 400, 'flex': 30}
flex, stream:
  MLflow: None cached
  OpenInference: None None
priority, invoke:
  MLflow: None cached
  OpenInference: 4000 400
  LangChain: {'priority_cache_read': 4000, 'priority': 1000} {'priority_reasoning': 400, 'priority': 30}
priority, stream:
  MLflow: None cached
  OpenInference: None None" ]
