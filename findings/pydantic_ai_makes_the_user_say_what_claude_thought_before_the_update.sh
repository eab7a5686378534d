#!/usr/bin/env bash
# pydantic-ai-slim 0.4.0 and 2.68.0 with Claude: 2.68 reads a history that 0.4 saved, sends Claude its own thoughts as
# words of the user, and triples the price of its answer.
#
# Guess: 2.68's `ModelMessagesTypeAdapter` reads the history that 0.4's wrote, with the thoughts and their signatures.
# The next question to the same Claude sends them back as 0.4 does: as signed thoughts of the assistant.
# Seen: 2.68 reads the history without an error. But it sends signed thoughts back only where the history names their
# provider, which 0.4 did not note. So a user message, "<assistant_thinking> ...", stands before the answer, and the
# signature is left out. The token count is read, but the cached tokens only as a detail: `cost()` takes the 100 cached
# ones for fresh, and gives 0.000405 dollars instead of 0.000135. (Issue 5869 of pydantic-ai is about the rewriting of
# unsigned thoughts and those of other providers.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv 0.4.0
0.4.0/bin/pip install --quiet --disable-pip-version-check pydantic-ai-slim==0.4.0 anthropic==0.57.1 \
    opentelemetry-api==1.34.1
python3 -m venv 2.68.0
2.68.0/bin/pip install --quiet --disable-pip-version-check pydantic-ai-slim==2.68.0 anthropic==2.14.0
cat > program.py <<'PROGRAM'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from anthropic import AsyncAnthropic
from pydantic_ai import Agent
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 0}
THOUGHT = {"type": "thinking", "thinking": "It is Ann.", "signature": "c2ln"}
ANSWER = {"id": "1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn"}
ANSWER |= {"content": [THOUGHT, {"type": "text", "text": "Hello!"}], "stop_sequence": None, "usage": USAGE}
sent = []


class Claude(BaseHTTPRequestHandler):
    def do_POST(self):
        sent.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"])
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(ANSWER).encode())

    log_message = lambda *_: None  # quiet


server = ThreadingHTTPServer(("127.0.0.1", 0), Claude)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = AsyncAnthropic(api_key="none", base_url=f"http://127.0.0.1:{server.server_port}")
agent = Agent(AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=client)))
if sys.argv[1] == "start":
    open("history.json", "wb").write(agent.run_sync("Hi!").all_messages_json())
history = ModelMessagesTypeAdapter.validate_json(open("history.json", "rb").read())
try:
    agent.run_sync("And now?", message_history=history)
except UnexpectedModelBehavior:
    pass  # 2.68 wants a stream; what it has sent is seen by now
for message in sent[-1]:
    parts = (part.get("thinking", part.get("text")) + part.get("signature", "") for part in message["content"])
    print(version("pydantic-ai-slim"), message["role"], " | ".join(parts).replace("\n", " "))
if sys.argv[1] != "start":
    print("cost:", history[1].cost().total_price)
PROGRAM
found=$(0.4.0/bin/python -W ignore program.py start && 2.68.0/bin/python -W ignore program.py continue)
echo "$found"
[ "$found" = "0.4.0 user Hi!
0.4.0 assistant It is Ann.c2ln | Hello!
0.4.0 user And now?
2.68.0 user Hi!
2.68.0 user <assistant_thinking> It is Ann. </assistant_thinking>
2.68.0 assistant Hello!
2.68.0 user And now?
cost: 0.000405" ]
