#!/usr/bin/env bash
# agno 3.1.10: an answer from its cache is shown to the user and missing in the history, and the tools that were called
# for it are not called again.
#
# Guess: With `cache_response=True`, an equal request to the model is answered from the cache, and all else goes on as
# ever: the answer is kept in the session, tools are called, and another picture is another request.
# Seen: The cache holds the end of a whole turn. Where it answers, the turn has the question alone, so the next request
# shows the model the question without its answer. A letter that is asked for a second time, in another session, is not
# sent, and the user reads that it is. The key has roles and texts only, so a question about a second picture gets the
# answer about the first. (Its page says that the cache is not for production, and that it saves requests to the model.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agno==3.1.10 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.media import Image
from agno.models.openai import OpenAIChat


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked = [message["content"] for message in request["messages"]]
        last, tools = request["messages"][-1], request.get("tools")
        message = {"role": "assistant", "content": f"Answer to {last['content']}"}
        if isinstance(last["content"], list):
            message["content"] = f"The picture ends in {last['content'][1]['image_url']['url'][-4:]}."
        elif tools and last["role"] == "user":
            function = {"name": "send_letter", "arguments": "{}"}
            message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
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
sent = []


def send_letter() -> str:
    """Sends the letter."""
    sent.append("a letter")
    return "The letter is sent."


def agent(**options):
    address = f"http://127.0.0.1:{server.server_port}/v1"
    model = OpenAIChat(id="m", api_key="key", base_url=address, cache_response=True)
    return Agent(model=model, db=InMemoryDb(), add_history_to_context=True, telemetry=False, **options)


for session in ("1", "2"):
    one = agent(session_id=session)
    answer = one.run("Q1").content
    one.run(f"Q2 of session {session}")
    print(f"session {session}: shown to the user: {answer}; sent then:", "; ".join(server.asked))
for session in ("3", "4"):
    answer = agent(session_id=session, tools=[send_letter]).run("Send the letter.").content
    print(f"session {session}: {answer} ({len(sent)} sent)")
for session, picture in (("5", b"cat"), ("6", b"dog")):
    answer = agent(session_id=session).run("What is it?", images=[Image(content=picture, format="png")]).content
    print(f"session {session}, {picture.decode()}: {answer}")
PROGRAM
found=$(HOME="$folder" "$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null | grep ^session)
echo "agno==3.1.10:" $found
[ "$found" = "session 1: shown to the user: Answer to Q1; sent then: Q1; Answer to Q1; Q2 of session 1
session 2: shown to the user: Answer to Q1; sent then: Q1; Q2 of session 2
session 3: Answer to The letter is sent. (1 sent)
session 4: Answer to The letter is sent. (1 sent)
session 5, cat: The picture ends in Y2F0.
session 6, dog: The picture ends in Y2F0." ]
