#!/usr/bin/env bash
# mem0ai 2.2.1: after `delete_all`, the next `add` sends the model the words that were deleted.
#
# Guess: After `delete_all(user_id="ann")` nothing of Ann's is left: her memories are gone, and what is added next is
# read beside nothing older.
# Seen: `add` keeps the last ten messages of each user in its history database, as context for the next one, and
# `delete_all` leaves them there. So the PIN is in the next request about Ann to the model, which may note it again,
# and it stays in the file. Bob's request does not have it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mem0ai==2.2.1 qdrant-client==1.20.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder = os.environ["MEM0_DIR"]
asked = []


class Model(BaseHTTPRequestHandler):
    """Notes one memory of whatever it reads, and embeds all texts alike."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "embeddings" in self.path:
            count = len(body["input"]) if isinstance(body["input"], list) else 1
            answer = {"object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            answer["data"] = [{"object": "embedding", "index": n, "embedding": [1.0] * 8} for n in range(count)]
        else:
            asked.append(json.dumps(body["messages"]))
            noted = {"memory": [{"id": "0", "text": "Ann said something"}]}
            message = {"role": "assistant", "content": json.dumps(noted)}
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

from mem0 import Memory

client = {"api_key": "key", "model": "m", "openai_base_url": f"http://127.0.0.1:{server.server_port}/v1"}
store = {"collection_name": "notes", "embedding_model_dims": 8, "path": f"{folder}/vectors", "on_disk": True}
memory = Memory.from_config(
    {
        "llm": {"provider": "openai", "config": client},
        "embedder": {"provider": "openai", "config": {**client, "embedding_dims": 8}},
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": f"{folder}/history.db",
    }
)
memory.add("My PIN is 4711.", user_id="ann")
print("kept", len(memory.get_all(filters={"user_id": "ann"})["results"]))
memory.delete_all(user_id="ann")
print("kept", len(memory.get_all(filters={"user_id": "ann"})["results"]))
memory.add("I like figs.", user_id="ann")
memory.add("I like tea.", user_id="bob")
print("in the requests to the model:", ["4711" in request for request in asked])
print("in the database:", b"4711" in Path(f"{folder}/history.db").read_bytes())
PROGRAM
export MEM0_DIR="$folder/mem0" MEM0_TELEMETRY=False
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mem0ai==2.2.1: $found"
[ "$found" = "kept 1
kept 0
in the requests to the model: [True, True, False]
in the database: True" ]
