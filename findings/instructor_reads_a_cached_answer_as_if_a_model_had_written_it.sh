#!/usr/bin/env bash
# instructor 1.17.0: an answer from its cache has lost a field with an alias, and has been converted twice.
#
# Guess: With a cache, the second equal question gets the object that the first one got.
# Seen: The cache keeps the finished object, by the names of its fields, and reads it like a reply of the model, by
# their aliases and through all validators. "due" is not the alias, "dueDate", so the date becomes the default, None. A
# validator that makes cents of the model's euros makes them again: 20 euros are 2,000 cents at first, and 200,000 from
# the cache. If the field has no default, the second question is a ValidationError, at each try until the cache is
# emptied.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check instructor==1.17.0 openai==3.3.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import instructor
from instructor.cache import AutoCache
from openai import OpenAI
from pydantic import BaseModel, Field, ValidationError, field_validator


class Bill(BaseModel):
    due: str | None = Field(None, alias="dueDate")
    cents: int

    @field_validator("cents")
    @classmethod
    def from_euros(cls, euros: int) -> int:
        return euros * 100


class Reminder(BaseModel):
    due: str = Field(alias="dueDate")


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked += 1
        arguments = json.dumps({"dueDate": "4 March", "cents": 20})
        function = {"name": request["tools"][0]["function"]["name"], "arguments": arguments}
        message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        body = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.asked = 0
threading.Thread(target=server.serve_forever, daemon=True).start()
openai = OpenAI(api_key="key", base_url=f"http://127.0.0.1:{server.server_port}/v1")
client = instructor.from_openai(openai, cache=AutoCache())
messages = [{"role": "user", "content": "When is the bill of 20 euros due?"}]
for kind in (Bill, Bill, Reminder, Reminder):
    try:
        answer = repr(client.chat.completions.create(model="m", response_model=kind, messages=messages))
    except ValidationError as error:
        answer = f"{type(error).__name__}({error.errors()[0]['type']})"
    print(f"asked {server.asked}: {answer}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "instructor==1.17.0:" $found
[ "$found" = "asked 1: Bill(due='4 March', cents=2000)
asked 1: Bill(due=None, cents=200000)
asked 2: Reminder(due='4 March')
asked 2: ValidationError(missing)" ]
