#!/usr/bin/env bash
# langchain 1.5.2 with langchain-openai 1.7.4: if its middleware clears the arguments of an old call, the Responses API
# is still sent them in full.
#
# Guess: With `ClearToolUsesEdit(clear_tool_inputs=True)`, an old call is sent without its arguments, whichever API the
# model uses.
# Seen: The middleware empties `tool_calls`. An answer of the Responses API has its calls in `content` as well, and
# those are sent: the PIN that the model once noted is in the next request. Chat completions are sent empty arguments,
# and so is the Responses API with `output_version="v1"`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langchain-openai==1.7.4 \
    langchain-core==1.8.3 openai==3.3.0
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_openai import ChatOpenAI

asked = []
call = {"name": "note", "arguments": json.dumps({"text": "The PIN is 4711."})}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        first = len(asked) % 2 == 1
        if self.path.endswith("/responses"):
            text = {"type": "output_text", "text": "Noted.", "annotations": []}
            message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
            item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "status": "completed", **call}
            answer = {"object": "response", "status": "completed", "output": [item if first else message]}
            answer |= {"created_at": 1, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        else:
            calls = {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
            message = {"role": "assistant", **(calls if first else {"content": "Noted."})}
            choice = {"index": 0, "finish_reason": "tool_calls" if first else "stop", "message": message}
            answer = {"object": "chat.completion", "created": 1, "choices": [choice]}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": "resp_1", "model": "gpt-4o", **answer}).encode())

    def log_message(self, *_):
        pass


def note(text: str) -> str:
    """Note something."""
    return "Noted."


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
clear = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=0, clear_tool_inputs=True)])
for options in ({}, {"use_responses_api": True}, {"use_responses_api": True, "output_version": "v1"}):
    model = ChatOpenAI(model="gpt-4o", base_url=f"http://127.0.0.1:{server.server_port}", api_key="-", **options)
    create_agent(model, [note], middleware=[clear]).invoke({"messages": [("user", "Note my PIN, 4711.")]})
    sent = asked[-1].get("messages") or asked[-1]["input"]
    calls = [item.get("tool_calls", [{"function": item}])[0]["function"] for item in sent]
    print(*options.values() or ["Chat"], *(call["arguments"] for call in calls if "arguments" in call))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "langchain-openai==1.7.4:" $found
[ "$found" = 'Chat {}
True {"text": "The PIN is 4711."}
True v1 {}' ]
