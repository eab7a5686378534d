#!/usr/bin/env bash
# agent-framework-core 1.23.0 with agent-framework-openai 1.17.0: a session that began with chat completions is sent
# without its history once the agent has a client of the Responses API, and the history stays away when the first
# client is back.
#
# Guess: If the service keeps no history, the session does, and the next turn is sent with it, whichever client the
# agent has by then. A session that cannot go on is refused.
# Seen: An agent without context providers adds one for the history, unless its client's service keeps conversations
# itself, as the Responses API does. Then nothing reads the session's history: the model is asked "Who am I?" alone,
# without an error. From then on the session has an id from the service, so the first client is not sent the history
# either. With an explicit `InMemoryHistoryProvider`, or with the option `store` set to False, each turn has all of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agent-framework-core==1.23.0 \
    agent-framework-openai==1.17.0 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from agent_framework import Agent, InMemoryHistoryProvider
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient
from openai import AsyncOpenAI

asked = []
text = {"type": "output_text", "text": "Yes.", "annotations": []}
said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
answers = {
    "/responses": {"object": "response", "created_at": 1, "status": "completed", "output": [said]}
    | {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    "/chat/completions": {"object": "chat.completion", "created": 1, "choices": [choice]},
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": "resp_1", "model": "m", **answers[self.path]}).encode())

    def log_message(self, *_):
        pass


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    openai = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}", api_key="-")
    chat = OpenAIChatCompletionClient(model="gpt-4o", async_client=openai)
    responses = OpenAIChatClient(model="gpt-4o", async_client=openai)
    for providers, options in [(None, {}), ([InMemoryHistoryProvider()], {}), (None, {"store": False})]:
        session = Agent(client=chat, context_providers=providers).create_session()
        for client, question in [(chat, "I am Ann."), (responses, "Who am I?"), (chat, "And now?")]:
            await Agent(client=client, context_providers=providers).run(question, session=session, options=options)
            sent = [message["content"] for message in asked[-1].get("messages") or asked[-1]["input"]]
            print(*(content if isinstance(content, str) else content[0]["text"] for content in sent))


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "agent-framework-core==1.23.0:" $found
[ "$found" = "I am Ann.
Who am I?
And now?
I am Ann.
I am Ann. Yes. Who am I?
I am Ann. Yes. Who am I? Yes. And now?
I am Ann.
I am Ann. Yes. Who am I?
I am Ann. Yes. Who am I? Yes. And now?" ]
