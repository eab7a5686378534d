#!/usr/bin/env bash
# qwen-agent 0.0.34: over its limit, the model is sent the word "omit" as the user's first question.
#
# Guess: With `max_input_tokens`, the oldest turn leaves, or loses the middle of its words, as the others that are too
# long do.
# Seen: If the oldest turn has more tokens than must go, it stays, and they are taken from its first message: where that
# is not enough, its whole text becomes "omit", and the answer is cut next. So the model reads "omit" from the user, and
# the answer to a question that it cannot see. With a shorter answer, the middle of the question goes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    qwen-agent==0.0.34 python-dateutil soundfile tqdm # the last three are imported, and no requirements of it
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append(body["messages"])
        message = {"role": "assistant", "content": "Ann."}
        answer = {"id": "a", "object": "chat.completion", "created": 1, "model": "m"}
        answer["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
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

from qwen_agent.llm import get_chat_model

client = {"model": "m", "model_type": "oai", "model_server": f"http://127.0.0.1:{server.server_port}/v1"}
model = get_chat_model({**client, "api_key": "key", "generate_cfg": {"max_input_tokens": 400}})
for words in (120, 200):
    history = [
        {"role": "user", "content": "My name is Ann. " + "word " * 100},
        {"role": "assistant", "content": "Hello Ann. " + "word " * words},
        {"role": "user", "content": "What is my name? " + "word " * 220},
    ]
    model.chat(messages=history, stream=False)
    print(words, *[f"{message['role']}: {message['content'][:15].strip()};" for message in asked[-1]])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "qwen-agent==0.0.34:" $found
[ "$found" = "120 user: My name is Ann.; assistant: Hello Ann. word; user: What is my name;
200 user: omit; assistant: Hello Ann. word; user: What is my name;" ]
