#!/usr/bin/env bash
# mem0ai 2.2.1: after a talk of 14 messages was added, the next `add` shows the model its first ten as the last ones.
#
# Guess: `add` shows the model the last ten messages of the user beside the new ones, so that "Yes, that one." can be
# understood: of a talk that was added as a list, its end.
# Seen: All messages of one `add` get one time, and the last ten are taken by the time alone. Of 14, the first ten are
# kept, and the last four are deleted, with the answer that the user now agrees to. Two exchanges later, messages 1 to 6
# stand right before the newest ones, as if nothing had been said between. A talk that is added in parts of two is kept
# as it should be. (The package for npm, mem0ai 3.3.1, has the same queries.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mem0ai==2.2.1 qdrant-client==1.20.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = os.environ["MEM0_DIR"]
asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "embeddings" in self.path:
            answer = {"object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            answer["data"] = [{"object": "embedding", "index": 0, "embedding": [1.0] * 8}]
        else:
            asked.append(body["messages"][-1]["content"])
            message = {"role": "assistant", "content": '{"memory": []}'}
            answer = {"id": "a", "object": "chat.completion", "created": 1, "model": "m"}
            answer["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        text = json.dumps(answer).encode()
        self.send_response(200)
        for header in {"Content-Type": "application/json", "Content-Length": str(len(text))}.items():
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

from mem0 import Memory

client = {"api_key": "key", "model": "m", "openai_base_url": f"http://127.0.0.1:{server.server_port}/v1"}
store = {"collection_name": "notes", "embedding_model_dims": 8, "path": f"{folder}/vectors"}
memory = Memory.from_config(
    {
        "llm": {"provider": "openai", "config": client},
        "embedder": {"provider": "openai", "config": {**client, "embedding_dims": 8}},
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": f"{folder}/history.db",
    }
)


def talk(first, last):
    return [{"role": ("assistant", "user")[n % 2], "content": f"Message-{n}."} for n in range(first, last + 1)]


for user, parts in {"ann": [(1, 14)], "bob": [(n, n + 1) for n in range(1, 15, 2)]}.items():
    for first, last in [*parts, (15, 16), (17, 18), (19, 20)]:
        memory.add(talk(first, last), user_id=user)
    for request in (asked[-3], asked[-1]):
        print(f"{user}:", *re.findall(r"Message-(\d+)", request))
PROGRAM
export MEM0_DIR="$folder/mem0" MEM0_TELEMETRY=False
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mem0ai==2.2.1:" $found
[ "$found" = "ann: 1 2 3 4 5 6 7 8 9 10 15 16
ann: 1 2 3 4 5 6 15 16 17 18 19 20
bob: 5 6 7 8 9 10 11 12 13 14 15 16
bob: 9 10 11 12 13 14 15 16 17 18 19 20" ]
