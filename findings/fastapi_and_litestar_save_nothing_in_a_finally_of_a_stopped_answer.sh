#!/usr/bin/env bash
# starlette 1.10.0 (of FastAPI 0.165.0) and litestar 2.25.0, beside Quart 0.22.0: when a user leaves in the middle of an
# answer, a `finally` that awaits its database saves nothing.
#
# Guess: When the user stops a streamed answer, the stream is cancelled, so a `finally` around the loop saves the words
# so far: asyncio cancels once, and the awaits of the `finally` run to their end.
# Seen: That is so in Quart. FastAPI and Litestar stream in a task group of anyio, which cancels again at each `await`
# until the generator is over: the insert is cancelled too, without an error. The words that the user has read are lost,
# and the next turn does not know of them. Within `CancelScope(shield=True)` they are saved. (The manual of anyio
# describes this for its own scopes.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fastapi==0.165.0 starlette==1.10.0 \
    litestar==2.25.0 quart==0.22.0 uvicorn==0.54.0 httpx==0.28.1 anyio==4.16.0 aiosqlite==0.22.1
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import contextlib
import socket
import sqlite3
import threading

import aiosqlite
import anyio
import httpx
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from litestar import Litestar, get
from litestar.response import Stream
from quart import Quart, Response

file = sqlite3.connect("talk.db")
file.execute("CREATE TABLE talk (said TEXT)")


async def answer(way, name):
    said = name
    try:
        for word in ("One", "two", "three"):
            said += f" {word}"
            yield word
            await asyncio.Event().wait()
    finally:
        with contextlib.ExitStack() as stack:
            stack.callback(over.set)
            if way == "shielded":
                stack.enter_context(anyio.CancelScope(shield=True))
            async with aiosqlite.connect("talk.db") as database:
                await database.execute("INSERT INTO talk VALUES (?)", (said,))
                await database.commit()


@get("/{way:str}")
async def stream(way: str) -> Stream:
    return Stream(answer(way, f"litestar {way}:"))


fast, quart = FastAPI(), Quart("chat")
fast.get("/{way}")(lambda way: StreamingResponse(answer(way, f"fastapi {way}:")))
quart.get("/<way>")(lambda way: Response(answer(way, f"quart {way}:")))
for app in (quart, fast, Litestar([stream])):
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    for way in ("plain", "shielded"):
        over = threading.Event()
        with httpx.stream("GET", f"http://127.0.0.1:{listener.getsockname()[1]}/{way}") as response:
            next(response.iter_text())
        over.wait()
print(*(said for (said,) in file.execute("SELECT said FROM talk ORDER BY rowid")), sep="\n")
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo $found
[ "$found" = "quart plain: One
quart shielded: One
fastapi shielded: One
litestar shielded: One" ]
