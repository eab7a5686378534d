#!/usr/bin/env bash
# mcp 2.3.0 (Python) with @modelcontextprotocol/client 2.4.0 (npm): a tool that has done its work is an error in
# JavaScript, if its result has a duration of a second and a half.
#
# Guess: A server makes the schema of a tool and its results from the same types of Python: they fit for any client.
# Seen: The schema says "duration", which pydantic writes as ISO 8601 has it and the client in JavaScript reads as RFC
# 3339 has it: without fractions of a second, and not below zero. Python's client gives the result; JavaScript's raises
# an error after the note was kept, so a model tries again, and it is kept twice. Two seconds are no error.
# (The same is known of times without a zone, for which several servers were changed.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
npm install --silent --no-fund --no-audit @modelcontextprotocol/client@2.4.0 > /dev/null
cat > server.py <<'PROGRAM'
from datetime import timedelta
from typing import TypedDict

from mcp.server.mcpserver import MCPServer

Kept = TypedDict("Kept", {"took": timedelta})
server, notes = MCPServer("notes"), []


@server.tool()
def keep(seconds: float, note: str = "figs") -> Kept:
    notes.append(note)
    return {"took": timedelta(seconds=seconds)}


@server.tool()
def count() -> int:
    return len(notes)


server.run()
PROGRAM
cat > client.py <<'PROGRAM'
import asyncio

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main():
    async with Client(stdio_client(StdioServerParameters(command="venv/bin/python", args=["server.py"]))) as client:
        for name, given in (("keep", {"seconds": 2}), ("keep", {"seconds": 1.5}), ("count", {})):
            print(name, *(await client.call_tool(name, given)).structured_content.values())


asyncio.run(main())
PROGRAM
cat > client.mjs <<'PROGRAM'
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "notes", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: "venv/bin/python", args: ["server.py"], stderr: "ignore" }));
await client.listTools();
for (const [name, given] of [["keep", { seconds: 2 }], ["keep", { seconds: 1.5 }], ["count", {}]]) {
  const told = await client.callTool({ name, arguments: given }).then(
    (result) => Object.values(result.structuredContent)[0],
    (error) => error.message.split(": ").at(-1),
  );
  console.log(name, told);
}
await client.close();
PROGRAM
found=$(echo Python && venv/bin/python client.py 2> /dev/null && echo JavaScript && node client.mjs)
echo "mcp==2.3.0, @modelcontextprotocol/client@2.4.0:" $found
[ "$found" = 'Python
keep PT2S
keep PT1.5S
count 2
JavaScript
keep PT2S
keep data/took must match format "duration"
count 2' ]
