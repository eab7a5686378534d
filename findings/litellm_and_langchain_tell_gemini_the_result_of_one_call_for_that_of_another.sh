#!/usr/bin/env bash
# litellm 1.110.2 and langchain-google-genai 4.4.3: if the second of two calls of one tool is done first, Gemini 2.5
# reads its result as that of the first.
#
# Guess: Results name their calls by id, so their order does not matter: an adapter sends the ids on, or puts the
# results into the order of the calls.
# Seen: Both leave the ids out and keep the order in which the results stand in the talk, which is the order in which
# they came where tools run at the same time. As both results are of `find`, nothing but their place says which is
# whose: Ann is in Rome and Bob is in Oslo. For Anthropic, litellm sends the same talk with ids; for Gemini 3, litellm
# sends ids, and langchain-google-genai does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check litellm==1.110.2 \
    langchain-google-genai==4.4.3 langchain-core==1.8.3 google-genai==3.6.1
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import litellm
from langchain_core.messages import convert_to_messages
from langchain_google_genai import ChatGoogleGenerativeAI

requests = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        answer = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Good."}]}, "finishReason": "STOP"}]}
        answer["usageMetadata"] = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        if "messages" in requests[-1]:
            answer = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
            answer |= {"content": [{"type": "text", "text": "Good."}], "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


def call(number, who):
    return {"id": number, "type": "function", "function": {"name": "find", "arguments": json.dumps({"who": who})}}


talk = [
    {"role": "user", "content": "Where are Ann and Bob?"},
    {"role": "assistant", "content": "", "tool_calls": [call("call_1", "Ann"), call("call_2", "Bob")]},
    {"role": "tool", "tool_call_id": "call_2", "content": "Rome"},
    {"role": "tool", "tool_call_id": "call_1", "content": "Oslo"},
]
server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
for model in ("gemini-2.5-pro", "gemini-3-pro-preview", "claude-sonnet-4-5"):
    provider = "gemini" if "gemini" in model else "anthropic"
    litellm.completion(model=f"{provider}/{model}", messages=talk, api_key="none", api_base=url)
    if provider == "gemini":
        ChatGoogleGenerativeAI(model=model, google_api_key="none", base_url=url).invoke(convert_to_messages(talk))
    while requests:
        name = "litellm" if len(requests) > (provider == "gemini") else "langchain"
        sent = json.dumps(requests.pop(0))
        words = sorted(("Ann", "Bob", "Rome", "Oslo"), key=sent.rindex)
        print(name, model, *words, "with ids" if sent.count("call_1") == sent.count("call_2") == 2 else "without ids")
PROGRAM
found=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "litellm gemini-2.5-pro Ann Bob Rome Oslo without ids
langchain gemini-2.5-pro Ann Bob Rome Oslo without ids
litellm gemini-3-pro-preview Ann Bob Rome Oslo with ids
langchain gemini-3-pro-preview Ann Bob Rome Oslo without ids
litellm claude-sonnet-4-5 Ann Bob Rome Oslo with ids" ]
