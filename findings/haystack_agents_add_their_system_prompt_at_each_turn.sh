#!/usr/bin/env bash
# haystack-ai 3.4.1: if an `Agent` is given the messages of its last run and a new question, it sends its system prompt
# once more at each turn.
#
# Guess: `run` returns the messages of the turn, so they can be passed to the next run with a new question behind them.
# The system prompt belongs to the agent: it stands at the head once, whether the messages already have it or not.
# Seen: Each run puts the prompt before the messages and returns it with them, so the third turn has three. If the
# agent's prompt has changed by then, the new one stands before all the old ones, which are still sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import tool
from haystack.utils import Secret

asked = []
choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


@tool
def find(who: str) -> str:
    """Find somebody."""
    return "Oslo"


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
model = OpenAIChatGenerator(api_key=Secret.from_token("-"), api_base_url=url)
talk = []
for prompt, question in [("Be kind.", "I am Ann."), ("Be kind.", "Is it late?"), ("Be brief.", "Thanks.")]:
    agent = Agent(chat_generator=model, tools=[find], system_prompt=prompt)
    talk = agent.run([*talk, ChatMessage.from_user(question)])["messages"]
    talk = [ChatMessage.from_dict(json.loads(json.dumps(message.to_dict()))) for message in talk]
    print(*(message["content"] for message in asked[-1]))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "haystack-ai==3.4.1:" $found
[ "$found" = "Be kind. I am Ann.
Be kind. Be kind. I am Ann. Yes. Is it late?
Be brief. Be kind. Be kind. I am Ann. Yes. Is it late? Yes. Thanks." ]
