#!/usr/bin/env bash
# litellm 1.110.2: `responses` with `previous_response_id` asks Claude or Gemini the new question alone, and says
# nothing.
#
# Guess: For a provider without a Responses API, the library keeps the talk that it was told to store, or refuses an id
# that it cannot follow.
# Seen: It keeps nothing, leaves the id out of the request, and puts it into the answer, as if it had been followed. So
# who says "I eat no nuts" in the first turn is a stranger in the second, with `store=True`, too. To OpenAI, the id is
# sent on. (The proxy has sessions of its own, with a database; of those, issue 11204 says the same, open since May
# 2025.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check litellm==1.110.2
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import litellm

requests = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        requests.append(self.rfile.read(int(self.headers["content-length"])).decode())
        if "messages" in self.path:
            answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
            answer |= {"content": [{"type": "text", "text": "Good."}], "usage": {"input_tokens": 1, "output_tokens": 1}}
        elif "responses" in self.path:
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
            item["content"] = [{"type": "output_text", "text": "Good.", "annotations": []}]
            answer = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5"}
            answer |= {"output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
            answer["previous_response_id"] = json.loads(requests[-1]).get("previous_response_id")
        else:
            content = {"role": "model", "parts": [{"text": "Good."}]}
            usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
            answer = {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage}
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
options = {"api_key": "none", "api_base": f"http://127.0.0.1:{server.server_port}", "store": True}
for model in ("openai/gpt-5", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"):
    first = litellm.responses(model=model, input="I eat no nuts.", **options)
    second = litellm.responses(model=model, input="What may I eat?", previous_response_id=first.id, **options)
    said = [name for name in ("I eat no nuts.", "What may I eat?", "previous_response_id") if name in requests[-1]]
    print(model, *said, "| the answer follows one:", second.previous_response_id is not None)
PROGRAM
found=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "litellm==1.110.2: $found"
[ "$found" = "openai/gpt-5 What may I eat? previous_response_id | the answer follows one: True
anthropic/claude-sonnet-4-5 What may I eat? | the answer follows one: True
gemini/gemini-2.5-pro What may I eat? | the answer follows one: True" ]
