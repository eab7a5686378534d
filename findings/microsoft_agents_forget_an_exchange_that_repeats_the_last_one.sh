#!/usr/bin/env bash
# agent-framework-core 1.23.0: an exchange that repeats the one before it is left out of the history.
#
# Guess: Each turn of a session is kept. Somebody who orders a coffee three times, and gets the same answer three times,
# has ordered three; what filters messages that are sent again "preserves legitimate duplicate turns".
# Seen: Without ids, which the chat client for OpenAI gives only to streams, a question and an answer that equal the
# last two messages count as sent again. The model, asked how many coffees there were, is shown one. So in memory and in
# a file; with three answers that differ, all three are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    agent-framework-core==1.23.0 agent-framework-openai==1.17.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked = []
answers = {"same": ["Noted."] * 4, "other": ["Noted.", "Two now.", "Three.", "Three."]}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append([message["content"] for message in body["messages"]])
        message = {"role": "assistant", "content": answers[body["model"]][(len(asked) - 1) % 4]}
        answer = {"id": f"chatcmpl-{len(asked)}", "object": "chat.completion", "created": 1, "model": body["model"]}
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

from agent_framework import Agent, FileHistoryProvider, InMemoryHistoryProvider
from agent_framework.openai import OpenAIChatCompletionClient


async def main():
    for model in answers:
        for history in (InMemoryHistoryProvider(), FileHistoryProvider(sys.argv[1])):
            address = f"http://127.0.0.1:{server.server_port}/v1"
            client = OpenAIChatCompletionClient(model=model, api_key="key", base_url=address)
            agent = Agent(client=client, context_providers=[history])
            session = agent.create_session()
            for text in ("One coffee.", "One coffee.", "One coffee.", "How many is that?"):
                await agent.run(text, session=session)
            print(model, type(history).__name__, asked[-1].count("One coffee."))


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/history" 2> /dev/null)
echo "agent-framework-core==1.23.0:" $found
[ "$found" = "same InMemoryHistoryProvider 1
same FileHistoryProvider 1
other InMemoryHistoryProvider 3
other FileHistoryProvider 3" ]
