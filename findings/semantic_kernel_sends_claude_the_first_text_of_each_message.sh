#!/usr/bin/env bash
# semantic-kernel 1.45.0 with anthropic 1.17.0: of a message in parts, Claude is sent the first text; a picture and all
# further texts are left out, of what Claude said, too.
#
# Guess: A message with a text, a picture and another text is sent with all three, as to OpenAI, or a part that the
# connector cannot send is an error, as in its connectors of Google and Azure AI.
# Seen: The content is `message.content`, which is the first text of the items. "May Ann eat this?" is sent without the
# picture and without "She eats no nuts.", and no warning. An answer of two blocks, as with citations or a search, is
# kept whole in the history, and is sent back with its first block. (That it takes no pictures was issue 9332, closed as
# stale.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check semantic-kernel==1.45.0 \
    anthropic==1.17.0 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from semantic_kernel.connectors.ai.anthropic import AnthropicChatCompletion, AnthropicChatPromptExecutionSettings
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import ChatHistory, ChatMessageContent, ImageContent, TextContent

requests = []


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        requests.append(self.rfile.read(int(self.headers["content-length"])).decode())
        if "anthropic-version" in self.headers:
            data = {"id": "1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn"}
            data["content"] = [{"type": "text", "text": "I see a cake."}, {"type": "text", "text": "It has nuts."}]
            data["usage"] = {"input_tokens": 1, "output_tokens": 1}
        else:
            message = {"role": "assistant", "content": "I see a cake. It has nuts."}
            data = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-5"}
            data["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, *_):
        pass


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    options = {"api_key": "none", "base_url": f"http://127.0.0.1:{server.server_port}"}
    claude = AnthropicChatCompletion("claude", api_key="none", async_client=AsyncAnthropic(**options))
    for service, settings in (
        (OpenAIChatCompletion("gpt-5", async_client=AsyncOpenAI(**options)), OpenAIChatPromptExecutionSettings()),
        (claude, AnthropicChatPromptExecutionSettings(max_tokens=100)),
    ):
        picture = ImageContent(data_uri="data:image/png;base64,iVBORw0KGgo=")
        parts = [TextContent(text="May Ann eat this?"), picture, TextContent(text="She eats no nuts.")]
        talk = ChatHistory(messages=[ChatMessageContent(role="user", items=parts)])
        talk.add_message(await service.get_chat_message_content(talk, settings))
        talk.add_user_message("Sure?")
        await service.get_chat_message_content(talk, settings)
        words = ("May Ann eat this?", "iVBORw0KGgo", "She eats no nuts.", "I see a cake.", "It has nuts.", "Sure?")
        print(type(service).__name__, *(word for word in words if word in requests[-1]))


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "semantic-kernel==1.45.0: $found"
[ "$found" = "OpenAIChatCompletion May Ann eat this? iVBORw0KGgo She eats no nuts. I see a cake. It has nuts. Sure?
AnthropicChatCompletion May Ann eat this? I see a cake. Sure?" ]
