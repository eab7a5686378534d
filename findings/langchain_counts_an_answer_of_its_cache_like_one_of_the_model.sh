#!/usr/bin/env bash
# langchain-core 1.8.3 and openinference-instrumentation-langchain 0.1.80: an answer from the cache counts, each time,
# with the tokens that it cost once.
#
# Guess: A cached answer asks no model and costs nothing. So neither the callback that adds up tokens nor a trace counts
# any for it; or the answer says that it was cached, so that both can leave it out.
# Seen: The answer is kept with its `usage_metadata`, and counted each time. Three equal questions, of which one was
# sent, are 16,320 tokens in `get_usage_metadata_callback`, and 5,440 in each of three OpenInference spans. A cached
# answer does have a field `total_cost`, which is 0. In the callback's sum, that 0 stands beside all tokens, including
# those that were paid. In a span, it is in the JSON of the output only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-openai==1.7.4 openai==3.57.0 \
    langchain-core==1.8.3 openinference-instrumentation-langchain==0.1.80 opentelemetry-sdk==1.45.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import get_usage_metadata_callback
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Ann."}}
answer = {"id": "1", "created": 1, "model": "gpt-5", "object": "chat.completion", "choices": [choice]}
answer |= {"usage": {"prompt_tokens": 5010, "completion_tokens": 430, "total_tokens": 5440}}
asked = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
LangChainInstrumentor().instrument(tracer_provider=provider)
address = f"http://127.0.0.1:{server.server_port}"
model = ChatOpenAI(model="gpt-5", base_url=address, api_key="none", cache=InMemoryCache())
with get_usage_metadata_callback() as callback:
    answers = [model.invoke("Who?").usage_metadata for _ in range(3)]
print(len(asked), "asked")
counts = callback.usage_metadata["gpt-5"]
print(counts["total_tokens"], "in the callback, total cost:", counts["total_cost"])
for span in spans.get_finished_spans():
    cost = [key for key, value in span.attributes.items() if "cost" in f"{key} {value}"]
    print(span.attributes["llm.token_count.total"], "in a span, a cost in:", *cost)
print("marked:", *("total_cost" in answer for answer in answers))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-core==1.8.3:" $found
[ "$found" = "1 asked
16320 in the callback, total cost: 0
5440 in a span, a cost in:
5440 in a span, a cost in: output.value
5440 in a span, a cost in: output.value
marked: False True True" ]
