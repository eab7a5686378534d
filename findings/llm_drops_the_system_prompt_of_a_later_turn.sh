#!/usr/bin/env bash
# llm 0.36: a system prompt that is given in a later turn of a conversation is sent to no model and logged nowhere.
#
# Guess: `llm -c --system "Answer in French."` goes on with that system prompt, in the place of the old one or after it,
# or refuses the two options together.
# Seen: It is taken without a word and left out: the model gets the first system prompt again, or none, where the talk
# began without one. `conversation.prompt` in Python does the same. Another model in a later turn is taken.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llm==0.36
cat > "$folder/program.py" <<'PROGRAM'
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append(body)
        answer = {"id": "a", "object": "chat.completion", "created": 1, "model": "m"}
        message = {"role": "assistant", "content": "Well."}
        answer["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        answer["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"
models = [{"model_id": name, "model_name": name, "api_base": address, "can_stream": False} for name in ("one", "two")]
Path(os.environ["LLM_USER_PATH"], "extra-openai-models.yaml").write_text(json.dumps(models))


def show(name):
    system = [message["content"] for message in asked[-1]["messages"] if message["role"] == "system"]
    print(f"{name}: {asked[-1]['model']}", *(system or ["none"]))


def run(name, *words):
    subprocess.run([sys.executable, "-m", "llm", *words], check=True, stdout=subprocess.DEVNULL)
    show(name)


run("first turn", "-m", "one", "--system", "Be brief.", "Hello")
run("later", "-c", "-m", "two", "--system", "Answer in French.", "Hello again")
run("without", "-m", "one", "Hello")
run("later", "-c", "--system", "Answer in French.", "Hello again")
logs = subprocess.run([sys.executable, "-m", "llm", "logs", "-n", "0", "--json"], check=True, stdout=subprocess.PIPE)
print("logged:", "French" in logs.stdout.decode())

import llm

conversation = llm.get_model("one").conversation()
for words in ({}, {"system": "Answer in French."}):
    conversation.prompt("Hello", stream=False, **words).text()
show("in Python")
PROGRAM
mkdir "$folder/user"
export LLM_USER_PATH="$folder/user" OPENAI_API_KEY=key
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "llm==0.36:" $found
[ "$found" = "first turn: one Be brief.
later: two Be brief.
without: one none
later: one none
logged: False
in Python: one none" ]
