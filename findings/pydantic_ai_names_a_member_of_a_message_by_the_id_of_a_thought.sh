#!/usr/bin/env bash
# pydantic-ai-slim 2.68.0: a talk that a model of the Responses API began goes on at chat completions with a member in
# its messages that is named "rs_1" or the like, as the thought of the model was.
#
# Guess: A history is the same for all models: `OpenAIChatModel` can go on where `OpenAIResponsesModel` was, by choice
# or by a fallback. A thought that it has no place for is left out, or stands in the text, as those of Gemini do.
# Seen: In chat completions, the id of a thought is the name of the member that it came in, such as
# `reasoning_content`, and it is sent back in that member. Of the Responses API, the id is the one of the thought, so
# each old answer has a member of another name, which OpenAI does not document, with the thought in it. The thoughts of
# Gemini, which have no id, are in the text.
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
