#!/usr/bin/env bash
# google-genai 3.6.1: a turn that fails after a tool was called leaves the call in the chat, without its result.
#
# Guess: A turn that fails, as the model cannot be reached, leaves a chat as it was, so that it can be tried again; a
# failed turn without tools does. If a part of it is kept, it is the call with its result.
# Seen: With automatic calls, the model asks for a table, the table is booked, and the request with the result fails.
# The history has the question and the call, and nowhere that the table was booked. Tried again, the model is sent a
# call that a question follows, the same one again: Gemini wants a result there, and a model that takes it books a
# second table. With a stream it is the same. A turn that stops at the limit of calls, which is no error, ends in a call
# without a result, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check google-genai==3.6.1
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google import genai
from google.genai import errors

CALL = {"functionCall": {"name": "book", "args": {"city": "Oslo"}}}
WORDS = {"text": "Done."}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked = [next(iter(part)) for content in request["contents"] for part in content["parts"]]
        part, streamed = self.server.answers.pop(0), "stream" in self.path
        if part:
            reply = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
        else:
            reply = {"error": {"code": 503, "status": "UNAVAILABLE", "message": "Try again later."}}
        body = f"data: {json.dumps(reply)}\n\n".encode() if part and streamed else json.dumps(reply).encode()
        self.send_response(200 if part else 503)
        self.send_header("Content-Type", "text/event-stream" if part and streamed else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = genai.Client(api_key="key", http_options={"base_url": f"http://127.0.0.1:{server.server_port}"})
booked = []


def book(city: str) -> str:
    """Books a table."""
    booked.append(city)
    return "The table is booked."


def ask(chat, streamed):
    try:
        if streamed:
            list(chat.send_message_stream("Book a table."))
        else:
            chat.send_message("Book a table.")
    except errors.ServerError:
        pass


cases = {
    "failed, no tools": ({}, [None], False),
    "failed": ({"tools": [book]}, [CALL, None], False),
    "failed, streamed": ({"tools": [book]}, [CALL, None], True),
    "at the limit": ({"tools": [book], "automatic_function_calling": {"maximum_remote_calls": 1}}, [CALL], False),
}
for name, (config, answers, streamed) in cases.items():
    booked.clear()
    chat = client.chats.create(model="gemini-2.5-flash", config=config)
    server.answers = answers
    ask(chat, streamed)
    server.answers = [WORDS]
    ask(chat, streamed)
    print(f"{name}: {len(booked)} booked, then sent", *server.asked)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "google-genai==3.6.1:" $found
[ "$found" = "failed, no tools: 0 booked, then sent text
failed: 1 booked, then sent text functionCall text
failed, streamed: 1 booked, then sent text functionCall text
at the limit: 0 booked, then sent text functionCall text" ]
