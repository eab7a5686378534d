#!/usr/bin/env bash
# mirascope 2.8.2: an answer whose text was changed in the history is sent as it was, if the same model is asked.
#
# Guess: The messages of a response are the history of the next call, and their `content` is sent. An answer in which a
# PIN was replaced goes out without the PIN, whether this model or another is asked, and whether it was streamed or not.
# Seen: Beside its content, an answer keeps the message of the provider. While the model is the same, that is sent, and
# the content is not looked at: the PIN is in the next request, as an answer that was cut to save tokens is there in
# full. Another model reads the changed text, and so does the same one if the answer came as a stream. Only once
# `raw_message` is None too is the change sent. (That the field may be sent again is said at the field itself.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mirascope==2.8.2 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mirascope import llm

ANSWER = "Your PIN is 4711."


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked = [message["content"] for message in request["messages"]]
        message = {"role": "assistant", "content": ANSWER}
        choice = {"index": 0, "finish_reason": "stop", "delta" if request.get("stream") else "message": message}
        kind = "chat.completion.chunk" if request.get("stream") else "chat.completion"
        body = json.dumps({"id": "a", "object": kind, "created": 1, "model": "m", "choices": [choice]})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if request.get("stream") else "application/json")
        self.end_headers()
        self.wfile.write((f"data: {body}\n\ndata: [DONE]\n\n" if request.get("stream") else body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/v1"
llm.register_provider("openai:completions", scope="openai/", base_url=address, api_key="key")
model = llm.Model("openai/gpt-4o:completions")
other = llm.Model("openai/gpt-4o-mini:completions")
question = [llm.messages.user("What is my PIN?")]


def edited(messages, **changes):
    *before, answer = messages
    return [*before, replace(answer, content=[llm.Text(text="Your PIN is [removed].")], **changes)]


response = model.call(question)
stream = model.stream(question)
for _ in stream.text_stream():
    pass
cases = {
    "same model": (model, edited(response.messages)),
    "other model": (other, edited(response.messages)),
    "streamed": (model, edited(stream.messages)),
    "without raw_message": (model, edited(response.messages, raw_message=None)),
}
for name, (asked, history) in cases.items():
    asked.call([*history, llm.messages.user("Thanks.")])
    print(f"{name}:", server.asked[1])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "mirascope==2.8.2:" $found
[ "$found" = "same model: Your PIN is 4711.
other model: Your PIN is [removed].
streamed: Your PIN is [removed].
without raw_message: Your PIN is [removed]." ]
