#!/usr/bin/env bash
# google-genai 3.6.1: a message of a chat that has a config of its own is sent without the system instruction and the
# tools of the chat.
#
# Guess: `send_message(text, config={"temperature": 0})` asks as the chat does, with another temperature: all that the
# config does not name is the chat's, as with the options of a model in LangChain, or of an agent in pydantic-ai.
# Seen: The config takes the place of the chat's. The one message goes out without the instruction, in which the program
# tells the model that Ann eats no nuts, and without the tools; the next message has them again. An empty config is
# taken for none. (The docs say "override"; others fell for it, too: pull request 231 of Vision-Agents.)
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


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        instruction = request.get("systemInstruction", {"parts": [{"text": "none"}]})["parts"][0]["text"]
        tools = len(request.get("tools", []))
        self.server.asked = f"{instruction}, {tools} tools, {request.get('generationConfig')}"
        content = {"role": "model", "parts": [{"text": "Yes."}]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]}).encode())

    def log_message(self, *_):
        pass


def book(city: str) -> str:
    """Books a table."""
    return "booked"


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = genai.Client(api_key="key", http_options={"base_url": f"http://127.0.0.1:{server.server_port}"})
chat = client.chats.create(
    model="gemini-2.5-flash", config={"system_instruction": "Ann eats no nuts", "tools": [book], "temperature": 1}
)
for config in (None, {"temperature": 0}, {}, None):
    chat.send_message("May I eat that?", config)
    print(f"{config}:", server.asked)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "google-genai==3.6.1:" $found
[ "$found" = "None: Ann eats no nuts, 1 tools, {'temperature': 1.0}
{'temperature': 0}: none, 0 tools, {'temperature': 0.0}
{}: Ann eats no nuts, 1 tools, {'temperature': 1.0}
None: Ann eats no nuts, 1 tools, {'temperature': 1.0}" ]
