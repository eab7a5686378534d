#!/usr/bin/env bash
# pydantic-ai-slim 2.68.0: if a conversation moves from the Responses API to chat completions, an old answer is sent
# with a member named "rs_1" or the like, after the id of the model's thought.
#
# Guess: A history is the same for all models: `OpenAIChatModel` can take over from `OpenAIResponsesModel`, by choice or
# as a fallback. A thought that has no place in its messages is left out, or stands in the text, as Gemini's do.
# Seen: In chat completions, a thought's id is the name of the member that it came in, such as `reasoning_content`, and
# the thought is sent back in that member. A thought from the Responses API has an id of its own, so the old answer gets
# a member of that name, with the thought in it; OpenAI documents no such member. Gemini's thoughts, which have no id,
# are in the text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "pydantic-ai-slim[openai,google]==2.68.0"
cat > "$folder/program.py" <<'PROGRAM'
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from pydantic_ai import Agent
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

asked = []
text = {"type": "output_text", "text": "Yes.", "annotations": []}
thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
thought["encrypted_content"] = "c2ln"
said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
parts = [{"text": "Hm.", "thought": True}, {"text": "Yes."}]
choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
answers = {
    "responses": {"object": "response", "status": "completed", "output": [thought, said]}
    | {"created_at": 1, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    "completions": {"object": "chat.completion", "created": 1, "choices": [choice]},
    "Content": {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]},
}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        answer = next(answers[part] for part in answers if part in self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": "1", "model": "m", **answer}).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
openai = OpenAIProvider(base_url=url, api_key="-")
models = {
    "Responses": OpenAIResponsesModel("gpt-5", provider=openai),
    "Gemini": GoogleModel("gemini-2.5-flash", provider=GoogleProvider(base_url=url, api_key="-")),
}
for name, model in models.items():
    history = Agent(model).run_sync("Is it?").all_messages()
    Agent(OpenAIChatModel("gpt-4.1", provider=openai)).run_sync("Sure?", message_history=history)
    print(name, json.dumps(asked[-1]["messages"][1]))
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "pydantic-ai-slim==2.68.0:" $found
[ "$found" = 'Responses {"role": "assistant", "rs_1": "Hm.", "content": "Yes."}
Gemini {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}' ]
