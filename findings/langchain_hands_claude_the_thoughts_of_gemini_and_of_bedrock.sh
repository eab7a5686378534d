#!/usr/bin/env bash
# langchain-anthropic 1.7.10 with langchain-google-genai 4.4.3 and langchain-aws 1.9.1: if Gemini or Bedrock began a
# conversation with thoughts, Claude is sent these thoughts in forms that Anthropic's API does not document.
#
# Guess: If another model takes over, as a fallback or by choice, it is sent the words, calls and results so far.
# Thoughts of another provider, which nobody else can use, are left out, as langchain-google-genai ("foreign reasoning
# is not replayed") and langchain-aws do with Claude's thoughts.
# Seen: Claude is sent Gemini's thought as a thinking block of its own without a signature, which Anthropic requires in
# each such block. A thought from Bedrock, even of the same Claude, is sent as a block of the type "reasoning_content",
# which Anthropic does not have. Each later turn of such a thread sends these blocks again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-anthropic==1.7.10 anthropic==2.14.0 \
    langchain-google-genai==4.4.3 langchain-aws==1.9.1 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_google_genai import ChatGoogleGenerativeAI

asked = []
thought = {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}}
gemini = {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "Yes."}]}
bedrock = {"message": {"role": "assistant", "content": [thought, {"text": "Yes."}]}}
usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
claude = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "Yes."}]
answers = {
    "Content": {"candidates": [{"content": gemini, "finishReason": "STOP"}]},
    "converse": {"output": bedrock, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}},
    "messages": {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": claude}
    | {"stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}},
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(next(answers[part] for part in answers if part in self.path)).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
os.environ.update(AWS_ACCESS_KEY_ID="-", AWS_SECRET_ACCESS_KEY="-")
models = {
    "Claude": ChatAnthropic(model="claude-sonnet-4-5", base_url=url, api_key="-"),
    "Gemini": ChatGoogleGenerativeAI(model="gemini-2.5-flash", base_url=url, api_key="-"),
    "Bedrock": ChatBedrockConverse(model="anthropic.claude-sonnet-4", endpoint_url=url, region_name="us-east-1"),
}
for first in models:
    for then in models:
        talk = [("user", "Is it?"), models[first].invoke("Is it?"), ("user", "Sure?")]
        models[then].invoke(talk)
        message = (asked[-1].get("contents") or asked[-1]["messages"])[1]
        blocks = message.get("parts") or message["content"]
        if "Claude" in (first, then):
            print(first, "to", then, *("-".join(sorted(block)) for block in blocks))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "langchain-anthropic==1.7.10:" $found
[ "$found" = "Claude to Claude signature-thinking-type text-type
Claude to Gemini text
Claude to Bedrock text
Gemini to Claude thinking-type text-type
Bedrock to Claude reasoning_content-type text-type" ]
