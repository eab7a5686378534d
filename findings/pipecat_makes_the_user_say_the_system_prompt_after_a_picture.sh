#!/usr/bin/env bash
# pipecat-ai 1.14.0 with google-genai: if the first question has a picture, Gemini is sent the system prompt twice, the
# second time as the user's last words.
#
# Guess: A service's system prompt is the system instruction of each request, whatever the parts of the question are.
# Seen: The converter looks for a message with a single part that is text. If there is none, it takes the conversation
# for calls and results only, and adds the prompt as the user's message. Words with a picture are two parts. So the user
# seems to ask "Is it dear?" and then to say "Never speak of prices." A question in words alone is sent as expected, and
# Claude is sent the system prompt once in both cases.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "pipecat-ai[anthropic,google]==1.14.0"
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from anthropic import AsyncAnthropic
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.anthropic.llm import AnthropicLLMService
from pipecat.services.google.llm import GoogleLLMService

pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        gemini = {"candidates": [{"content": {"role": "model", "parts": [{"text": "No."}]}, "finishReason": "STOP"}]}
        claude = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
        claude |= {"content": [{"type": "text", "text": "No."}], "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(claude if "/messages" in self.path else gemini).encode())

    def log_message(self, *_):
        pass


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    url, prompt = f"http://127.0.0.1:{server.server_port}", "Never speak of prices."
    settings = GoogleLLMService.Settings(model="gemini-2.5-flash", system_instruction=prompt)
    gemini = GoogleLLMService(api_key="-", http_options={"base_url": url}, settings=settings)
    settings = AnthropicLLMService.Settings(model="claude-sonnet-4-5", system_instruction=prompt)
    claude = AnthropicLLMService(api_key="-", client=AsyncAnthropic(base_url=url, api_key="-"), settings=settings)
    for name, service in {"Gemini": gemini, "Claude": claude}.items():
        for content in ["Is it dear?", [{"type": "text", "text": "Is it dear?"}, picture]]:
            await service.run_inference(LLMContext([{"role": "user", "content": content}]))
            messages = asked[-1].get("contents") or asked[-1]["messages"]
            parts = [m.get("parts") or m["content"] for m in messages]
            parts = [[{"text": p}] if isinstance(p, str) else p for p in parts]
            texts = [part.get("text", "[picture]") for parts in parts for part in parts]
            print(name, json.dumps(asked[-1]).count(prompt), *texts)


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py 2> /dev/null)
echo "pipecat-ai==1.14.0:" $found
[ "$found" = "Gemini 1 Is it dear?
Gemini 2 Is it dear? [picture] Never speak of prices.
Claude 1 Is it dear?
Claude 1 [picture] Is it dear?" ]
