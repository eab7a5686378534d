#!/usr/bin/env bash
# mem0ai 3.3.1 (npm) with mem0ai 2.2.1 (PyPI) and one table in PostgreSQL (in pgserver 0.1.4): when JavaScript updates a
# note that Python wrote, the old words stay in the store, and Python does not see the times that JavaScript sets.
#
# Guess: Both write the same table, with `data`, `hash` and `user_id` in it, and read each other's notes. So an updated
# note has its new words, and says in both languages when it was made and when it was changed.
# Seen: The words for the search are `text_lemmatized` in Python and `textLemmatized` in JavaScript, and the times are
# `created_at` and `createdAt`. Each language writes its own fields and leaves the other's as they are. After JavaScript
# changes Ann's PIN, the old one is still in the row, JavaScript shows it in the metadata of the new note, and Python
# says that nothing has changed since the note was made. A note that JavaScript wrote has no time in Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mem0ai==2.2.1 pgserver==0.1.4 "psycopg[binary,pool]==3.3.4"
npm install --silent --no-fund --no-audit --legacy-peer-deps --ignore-scripts mem0ai@3.3.1 pg@8.16.3 \
    better-sqlite3@npm:libsql@0.5.29 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Memory } from "mem0ai/oss";

const [connectionString, baseURL, id] = process.argv.slice(2);
const openai = { provider: "openai", config: { apiKey: "none", baseURL, model: "none", embeddingDims: 2 } };
const table = { connectionString, collectionName: "notes", embeddingModelDims: 2 };
const options = { embedder: openai, llm: openai, vectorStore: { provider: "pgvector", config: table } };
const memory = new Memory({ disableHistory: true, ...options });
await memory.update(id, { text: "Ann's PIN is 5813." });
const { memory: text, metadata } = await memory.get(id);
console.log(`JavaScript: ${text} text_lemmatized: ${metadata.text_lemmatized}`);
await memory.add("Bob has a cat.", { userId: "bob", infer: false });
process.exit();
PROGRAM
cat > program.py <<'PROGRAM'
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": f"{os.getcwd()}/mem0"}
import pgserver
from mem0 import Memory


class Embeddings(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"object": "list", "data": [{"index": 0, "embedding": [1, 0.5]}]}')

    def log_message(self, *arguments):
        pass


service = HTTPServer(("127.0.0.1", 0), Embeddings)
threading.Thread(target=service.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{service.server_port}/v1"
os.chmod(".", 0o755)
uri = (server := pgserver.get_server(f"{os.getcwd()}/database")).get_uri()
openai = {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url, "embedding_dims": 2}}
llm = {"provider": "openai", "config": {"api_key": "none"}}
table = {"connection_string": uri, "collection_name": "notes", "embedding_model_dims": 2}
store = {"provider": "pgvector", "config": table}
memory = Memory.from_config({"embedder": openai, "llm": llm, "vector_store": store})
id = memory.add("Ann's PIN is 4711.", user_id="ann", infer=False)["results"][0]["id"]
subprocess.run(["node", "program.mjs", uri.replace("postgres:@", "postgres@localhost"), url, id], check=True)
note = memory.get(id)
print("Python:", note["memory"], "changed:", note["updated_at"] != note["created_at"])
note = memory.get_all(filters={"user_id": "bob"})["results"][0]
print("Python:", note["memory"], "made:", note["created_at"])
print("4711 is in the row:", "4711" in server.psql("SELECT payload FROM notes"))
PROGRAM
found=$(PYTHONUNBUFFERED=1 venv/bin/python -W ignore program.py 2> /dev/null)
echo "mem0ai@3.3.1, mem0ai==2.2.1:"
echo "$found"
[ "$found" = "JavaScript: Ann's PIN is 5813. text_lemmatized: Ann's PIN is 4711.
Python: Ann's PIN is 5813. changed: False
Python: Bob has a cat. made: None
4711 is in the row: True" ]
