#!/usr/bin/env bash
# pydantic-ai-slim 2.68.0: once a history was saved and loaded, the model reads the result of an old call under other
# names.
#
# Guess: A history that is saved with `all_messages_json` and loaded with `ModelMessagesTypeAdapter` is sent as it was
# before, word for word, so that its beginning is found in the provider's cache, and in a recording.
# Seen: The result of a tool is sent by the aliases of its fields, and saved by their names. Of one call, the model
# reads "dueDate" until the restart and "due" after it; calls after it have "dueDate" again. A result that is no number,
# as the mean of nothing, is null until the restart, and an empty text after it. (That aliases are sent at all is new,
# by issue 6542 of pydantic-ai.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic-ai-slim==2.68.0 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class Bill(BaseModel):
    due: str = Field(alias="dueDate")
    cents: int = Field(serialization_alias="amount")


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request["messages"]
        self.server.results = [message["content"] for message in messages if message["role"] == "tool"]
        message = {"role": "assistant", "content": "It is due on 4 March."}
        if len(messages) == 1:
            functions = [{"name": name, "arguments": "{}"} for name in ("bill", "mean")]
            calls = [{"id": f["name"], "type": "function", "function": f} for f in functions]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = {"id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
provider = OpenAIProvider(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="key")
agent = Agent(OpenAIChatModel("m", provider=provider))


@agent.tool_plain
def bill() -> Bill:
    return Bill(dueDate="4 March", cents=2000)


@agent.tool_plain
def mean() -> float:
    return float("nan")


first = agent.run_sync("When is the bill due?")
agent.run_sync("Thanks.", message_history=first.all_messages())
print("went on:", *map(repr, server.results))
agent.run_sync("Thanks.", message_history=ModelMessagesTypeAdapter.validate_json(first.all_messages_json()))
print("restarted:", *map(repr, server.results))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "pydantic-ai-slim==2.68.0:" $found
[ "$found" = "went on: '{\"dueDate\":\"4 March\",\"amount\":2000}' 'null'
restarted: '{\"due\":\"4 March\",\"cents\":2000}' ''" ]
