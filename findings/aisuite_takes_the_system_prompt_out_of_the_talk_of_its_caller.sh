#!/usr/bin/env bash
# aisuite 0.2.0 with anthropic 2.14.0: from the second turn on, Claude gets no system prompt, and the caller's list has
# none either.
#
# Guess: A client reads the list of messages that it is given. The system message goes into the parameter that Anthropic
# has for it, at each turn, and the program's list, which it goes on with and saves, stays as it is.
# Seen: The provider of Anthropic takes the message out of the caller's own list. So of three turns with one list, the
# first has the prompt, and the others have none; what is saved then lacks it, and so does a turn that goes to OpenAI
# after it. No error says so. With OpenAI alone, the list stays whole.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check aisuite==0.2.0 anthropic==2.14.0 \
    openai==2.54.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import aisuite

prompts = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        system = [message["content"] for message in asked["messages"] if message["role"] == "system"]
        prompts.append(asked.get("system") or system or "no prompt")
        message = {"role": "assistant", "content": "Good."}
        data = {"id": "1", "model": "model", "created": 1, "object": "chat.completion"}
        data["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        if "anthropic-version" in self.headers:
            data = {"id": "1", "type": "message", "role": "assistant", "model": "model", "stop_reason": "end_turn"}
            data["content"] = [{"type": "text", "text": "Good."}]
            data["usage"] = {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 0}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
options = {"anthropic": {"api_key": "none", "base_url": url}, "openai": {"api_key": "none", "base_url": url}}
client = aisuite.Client(options)
for models in (["openai:gpt-5"] * 3, ["anthropic:claude-sonnet-4-5"] * 3 + ["openai:gpt-5"]):
    talk = [{"role": "system", "content": "Ann eats no nuts."}]
    for model in models:
        talk.append({"role": "user", "content": "What may Ann eat?"})
        answer = client.chat.completions.create(model=model, messages=talk).choices[0].message.content
        talk.append({"role": "assistant", "content": answer})
    print(models[0].split(":")[0], *prompts, "| kept:", talk[0]["role"])
    prompts.clear()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "aisuite==0.2.0: $found"
[ "$found" = "openai ['Ann eats no nuts.'] ['Ann eats no nuts.'] ['Ann eats no nuts.'] | kept: system
anthropic Ann eats no nuts. no prompt no prompt no prompt | kept: user" ]
