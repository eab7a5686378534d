#!/usr/bin/env bash
# haystack-ai 3.4.1: if a conversation moves from chat completions to the Responses API, its calls have an empty
# `call_id`, and so have their results.
#
# Guess: A `ChatMessage` is the same for all generators. A history in which each call has an id, and each result names
# its call, can go on with `OpenAIResponsesChatGenerator` in place of `OpenAIChatGenerator`, and the other way round.
# Seen: The generator takes the `call_id` from a place that only its own answers fill, and sends "" if that is empty.
# Two calls of `find`, for Ann and for Bob, and their two results all have the `call_id` "", so only their order says
# who is in Rome and who is in Oslo. No error is raised. The other way round, calls and results keep ids that match.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

asked = []
people = {"Ann": "Oslo", "Bob": "Rome"}
functions = [{"name": "find", "arguments": json.dumps({"who": name})} for name in people]
calls = [{"id": f"call_{number}", "type": "function", "function": part} for number, part in enumerate(functions)]
items = [{"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", **part} for n, part in enumerate(functions)]
text = {"type": "output_text", "text": "Let me look.", "annotations": []}
said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
message = {"role": "assistant", "content": "Let me look.", "tool_calls": calls}
choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
answers = {
    "/responses": {"object": "response", "created_at": 1, "status": "completed", "output": [said, *items]}
    | {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    "/chat/completions": {"object": "chat.completion", "created": 1, "choices": [choice]},
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": "1", "model": "m", **answers[self.path]}).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
options = {"api_key": Secret.from_token("-"), "api_base_url": f"http://127.0.0.1:{server.server_port}"}
chat, responses = OpenAIChatGenerator(**options), OpenAIResponsesChatGenerator(**options)
for first, then in [(chat, chat), (responses, responses), (responses, chat), (chat, responses)]:
    talk = [ChatMessage.from_user("Where are they?")]
    talk += first.run(talk)["replies"]
    for call in talk[1].tool_calls:
        talk.append(ChatMessage.from_tool(people[call.arguments["who"]], origin=call))
    then.run(talk)
    sent = (asked[-1].get("messages") or asked[-1]["input"])[1:]
    ids = [call["id"] for item in sent for call in item.get("tool_calls", [])]
    ids += [item.get("call_id", item.get("tool_call_id")) for item in sent if {"call_id", "tool_call_id"} & set(item)]
    print(json.dumps(ids))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "haystack-ai==3.4.1:" $found
[ "$found" = '["call_0", "call_1", "call_0", "call_1"]
["call_0", "call_1", "call_0", "call_1"]
["fc_0", "fc_1", "fc_0", "fc_1"]
["", "", "", ""]' ]
