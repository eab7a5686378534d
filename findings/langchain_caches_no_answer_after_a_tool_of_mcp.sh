#!/usr/bin/env bash
# langchain-mcp-adapters 0.3.2 with langchain-core 1.8.3: after the result of an MCP tool, no answer comes from the
# cache.
#
# Guess: With a cache of models set, an equal conversation is answered from it, whether a result in it is of a tool in
# Python or of an MCP server: the cache leaves the ids of messages out of its key for that.
# Seen: The adapter gives each part of a result a random id, within the content, and that is part of the key. So each
# equal conversation asks the model again, with the same request, as the id is not sent; and the cache grows by one
# entry each time. A tool in Python that gives the same content asks once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    langchain-mcp-adapters==0.3.2 mcp==1.30.0 langchain-core==1.8.3 langchain-openai==1.7.4
cat > "$folder/server.py" <<'PROGRAM'
from mcp.server.fastmcp import FastMCP

server = FastMCP("notes")


@server.tool()
def owner() -> str:
    """Tells who owns the boat."""
    return "Ann"


server.run()
PROGRAM
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked = []


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": "It is Ann's."}
        answer = {"id": "a", "object": "chat.completion", "created": 1, "model": "m"}
        answer["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

from langchain_core.caches import InMemoryCache
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


@tool
def owner():
    """Tells who owns the boat."""
    return [{"type": "text", "text": "Ann"}]


async def main():
    program = {"command": sys.executable, "args": [sys.argv[1]], "transport": "stdio"}
    [remote] = await MultiServerMCPClient({"notes": program}).get_tools()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    call = {"name": "owner", "args": {}, "id": "call_1", "type": "tool_call"}
    for name, one in (("in Python", owner), ("of MCP", remote)):
        model = ChatOpenAI(model="m", api_key="key", base_url=address, cache=InMemoryCache())
        asked.clear()
        for _ in range(3):
            result = await one.ainvoke(call)
            await model.ainvoke([HumanMessage("Whose boat?"), AIMessage("", tool_calls=[call]), result])
        print(f"{name}: asked {len(asked)}, different requests {len(set(asked))}")


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/server.py" 2> /dev/null)
echo "langchain-mcp-adapters==0.3.2:" $found
[ "$found" = "in Python: asked 1, different requests 1
of MCP: asked 3, different requests 1" ]
