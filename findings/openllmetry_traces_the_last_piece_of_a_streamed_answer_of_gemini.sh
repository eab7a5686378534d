#!/usr/bin/env bash
# opentelemetry-instrumentation-google-generativeai 0.62.4 with google-genai 3.6.1: of a streamed answer, the trace has
# the last piece, and of its tokens, those of the thoughts are missing.
#
# Guess: The trace of a stream is that of the same answer in one piece, as it is with OpenInference (1.4.14). The tokens
# of the thoughts, which are paid as output, count as output.
# Seen: Only the last chunk is written as the answer. If that is " in Oslo.", the trace has no Ann; if its text is
# empty, as where a chunk brings the end alone, the answer is the fields of that part, "media_resolution=None" and so
# on. Output is 30 tokens of the 430 that are paid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check google-genai==3.6.1 opentelemetry-sdk==1.45.2 \
    opentelemetry-instrumentation-google-generativeai==0.62.4 openinference-instrumentation-google-genai==1.4.14
cd "$folder"
cat > program.py <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from google import genai
from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor
from opentelemetry.instrumentation.google_generativeai import GoogleGenerativeAiInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

usage = {"promptTokenCount": 10, "candidatesTokenCount": 30, "thoughtsTokenCount": 400, "totalTokenCount": 440}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["content-length"])))["contents"][0]["parts"][0]["text"]
        texts = ["Ann lives", " in Oslo."] + [""] * (said == "Who?")
        if "stream" not in self.path:
            texts = ["".join(texts)]
        chunks = [
            {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}], "usageMetadata": usage}
            for text in texts
        ]
        chunks[-1]["candidates"][0]["finishReason"] = "STOP"
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        self.send_response(200)
        self.end_headers()
        self.wfile.write((body if "stream" in self.path else json.dumps(chunks[0])).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
client = genai.Client(api_key="none", http_options={"base_url": f"http://127.0.0.1:{server.server_port}"})
for instrumentor in (GoogleGenAIInstrumentor(), GoogleGenerativeAiInstrumentor()):
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    instrumentor.instrument(tracer_provider=provider)
    client.models.generate_content(model="gemini-2.5-pro", contents="Where?")
    for question in ("Where?", "Who?"):
        list(client.models.generate_content_stream(model="gemini-2.5-pro", contents=question))
    instrumentor.uninstrument()
    for span in spans.get_finished_spans():
        trace = dict(span.attributes)
        if "gen_ai.output.messages" in trace:
            answer = json.loads(trace["gen_ai.output.messages"])[0]["parts"][0]["content"]
            print("openllmetry", answer[:21], trace["gen_ai.usage.input_tokens"], trace["gen_ai.usage.output_tokens"])
        else:
            answer = next(trace[key] for key in trace if key.startswith("llm.output") and "Ann" in trace[key])
            print("openinference", answer, trace["llm.token_count.prompt"], trace["llm.token_count.completion"])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "google-genai==3.6.1: $found"
[ "$found" = "openinference Ann lives in Oslo. 10 430
openinference Ann lives in Oslo. 10 430
openinference Ann lives in Oslo. 10 430
openllmetry Ann lives in Oslo. 10 30
openllmetry  in Oslo. 10 30
openllmetry media_resolution=None 10 30" ]
