#!/usr/bin/env bash
# langchain 1.5.2 with langchain-openai 1.1.9 and llama-index-core 0.14.25 with llama-index-llms-openai 0.8.3: if the
# token limit cuts off a tool call, they run the part that arrived.
#
# Guess: If an answer ends at its limit (`finish_reason` "length") in the middle of `"amount": 1000`, the arguments are
# no JSON: there is no call, or an error that the model can read, with a stream and without.
# Seen: Both repair the arguments like a page that displays a stream as it comes, and take the result for the whole: the
# tool pays 10, and the model reads that it is paid. LlamaIndex does so with a stream and without. LangChain does so in
# a stream; without one, it runs nothing and ends with an empty answer, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langchain-openai==1.1.9 \
    langchain-core==1.8.3 openai==2.54.0 llama-index-core==0.14.25 llama-index-llms-openai==0.8.3
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai import OpenAI

cut = '{"to": "Ann", "amount": 10'
calls = [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "pay", "arguments": cut}}]


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        done = request["messages"][-1]["role"] == "tool"
        message = {"role": "assistant"} | ({"content": "Done."} if done else {"content": None, "tool_calls": calls})
        choice = {"index": 0, "finish_reason": "stop" if done else "length", "message": message, "delta": message}
        answer = json.dumps({"id": "1", "created": 1, "model": "gpt-4o", "object": "", "choices": [choice]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write((f"data: {answer}\n\ndata: [DONE]\n\n" if request.get("stream") else answer).encode())

    def log_message(self, *_):
        pass


def pay(to: str, amount: int) -> str:
    """Pay somebody."""
    paid.append(amount)
    return "Paid."


def langchain(stream):
    model = ChatOpenAI(model="gpt-4o", base_url=url, api_key="none", streaming=stream)
    return create_agent(model, [pay]).invoke({"messages": [("user", "Pay Ann 1000.")]})["messages"][-1].content


def llama_index(stream):
    async def ask():
        agent = FunctionAgent(tools=[pay], llm=OpenAI(model="gpt-4o", api_base=url, api_key="none"), streaming=stream)
        return str(await agent.run("Pay Ann 1000."))

    return asyncio.run(ask())


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"
for run in (langchain, llama_index):
    for stream in (True, False):
        paid = []
        print(run.__name__, "in a stream:" if stream else "as a whole:", repr(run(stream)), *paid)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo $found
[ "$found" = "langchain in a stream: 'Done.' 10
langchain as a whole: ''
llama_index in a stream: 'Done.' 10
llama_index as a whole: 'Done.' 10" ]
