#!/usr/bin/env bash
# mcp 2.3.0 with fastmcp 4.2.3: one tool, which keeps a note or none, refuses notes in JSON in the one and keeps them in
# the other.
#
# Guess: A tool whose argument is `str | None` gets the text that the model sent, as one whose argument is `str` does;
# the two libraries, of which one grew out of the other, run the same function alike.
# Seen: In mcp, a text for an argument of any other type than `str` alone is read as JSON first. So a note that is a
# list or an object in JSON is an error, "should be a valid string", and the note "null" is none: nothing is kept, and
# nothing is said. fastmcp gives the function the text. (python-sdk issue 1112, closed, was about `str` alone.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0 fastmcp==4.2.3
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

import fastmcp
from mcp.client import Client
from mcp.server.mcpserver import MCPServer


def keep(note: str | None = None) -> str:
    return repr(note)


def keep_text(note: str) -> str:
    return repr(note)


async def main():
    servers = {"mcp": (MCPServer("notes"), Client), "fastmcp": (fastmcp.FastMCP("notes"), fastmcp.Client)}
    for name, (server, client) in servers.items():
        for function in (keep, keep_text):
            server.tool()(function)
            async with client(server) as session:
                for note in ("milk", '["milk"]', "null"):
                    result = await session.call_tool(function.__name__, {"note": note})
                    print(name, function.__name__, "refused" if result.is_error else result.content[0].text)


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" 2> /dev/null)
echo "mcp==2.3.0:" $found
[ "$found" = "mcp keep 'milk'
mcp keep refused
mcp keep None
mcp keep_text 'milk'
mcp keep_text '[\"milk\"]'
mcp keep_text 'null'
fastmcp keep 'milk'
fastmcp keep '[\"milk\"]'
fastmcp keep 'null'
fastmcp keep_text 'milk'
fastmcp keep_text '[\"milk\"]'
fastmcp keep_text 'null'" ]
