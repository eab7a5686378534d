#!/usr/bin/env bash
# langchain 1.5.2 with langgraph 1.2.24: if the user says something else while a call waits for approval, a later
# approval does nothing and raises no error, and the call stays in the conversation without a result.
#
# Guess: A call that `HumanInTheLoopMiddleware` holds back waits until it is approved or rejected. A new message in that
# thread is refused, or ends the call with a result that says so, or is answered while the call goes on waiting.
# Seen: The new message starts a new run, and nothing waits any more; the returned state does not say so. The model is
# sent a call with a question right behind it, where OpenAI and Anthropic ask for a result. An approval after that
# returns as if all were done: Ann is not paid, the model is not asked, and there is no error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langgraph==1.2.24 \
    langchain-openai==1.7.4 langchain-core==1.8.3 openai==3.3.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

asked, paid = [], []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
        call = {"id": "call_1", "type": "function", "function": {"name": "pay", "arguments": '{"who": "Ann"}'}}
        calls = [call] if asked[-1][-1]["content"] == "Pay Ann." else None
        message = {"role": "assistant", "content": None if calls else "Yes.", "tool_calls": calls}
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


def pay(who: str) -> str:
    """Pay somebody."""
    paid.append(who)
    return "Paid."


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
model = ChatOpenAI(model="gpt-4o", base_url=f"http://127.0.0.1:{server.server_port}", api_key="-")
approve = Command(resume={"decisions": [{"type": "approve"}]})
for questions in (["Pay Ann."], ["Pay Ann.", "Is it late?"]):
    middleware = [HumanInTheLoopMiddleware({"pay": True})]
    agent = create_agent(model, [pay], middleware=middleware, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "ann"}}
    for question in questions:
        told = agent.invoke({"messages": [("user", question)]}, thread)
        print("waits:", len(told.get("__interrupt__", [])), end=" ")
    paid.clear()
    before = len(asked)
    agent.invoke(approve, thread)
    print("approved, paid:", len(paid), "asked:", len(asked) - before, *(message["role"] for message in asked[-1]))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "langchain==1.5.2:" $found
[ "$found" = "waits: 1 approved, paid: 1 asked: 1 user assistant tool
waits: 1 waits: 0 approved, paid: 0 asked: 0 user assistant user" ]
