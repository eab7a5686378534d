#!/usr/bin/env bash
# starlette 1.10.0 (of FastAPI 0.165.0) and Quart 0.22.0: a streamed answer knows its user at its first word and at no
# later one, and in its trace the later steps belong to no turn.
#
# Guess: A context variable that a generator sets keeps its value until the generator ends or sets it again, as in a
# plain loop and in an async generator. A span that is opened around a stream contains all of it.
# Seen: Each step of a plain generator runs in a thread, in a new copy of the request's context. The next step does not
# see a value that the last one set: a note that is written after the first word belongs to nobody, and each later call
# of the model begins a trace of its own. With an async generator, both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fastapi==0.165.0 starlette==1.10.0 quart==0.22.0 \
    opentelemetry-sdk==1.45.2 httpx==0.28.1
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import contextvars
import logging

import httpx
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from opentelemetry.sdk.trace import TracerProvider
from quart import Quart, Response

logging.disable(logging.CRITICAL)
tracer = TracerProvider().get_tracer("chat")
user = contextvars.ContextVar("user", default="nobody")


def answer():
    user.set("Ann")
    with tracer.start_as_current_span("turn"):
        for word in ("one", "two", "three"):
            with tracer.start_as_current_span("model") as call:
                yield f"{word} for {user.get()} in {'the turn' if call.parent else 'no turn'}; "


async def answer_async():
    for text in answer():
        yield text


fast, quart = FastAPI(), Quart("chat")
fast.get("/async")(lambda: StreamingResponse(answer_async()))
fast.get("/sync")(lambda: StreamingResponse(answer()))
quart.get("/async", endpoint="async")(lambda: Response(answer_async()))
quart.get("/sync", endpoint="sync")(lambda: Response(answer()))


async def main():
    for name, app in (("fastapi", fast), ("quart", quart)):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
            for path in ("async", "sync"):
                print(name, path, (await client.get(f"/{path}")).text.rstrip())


print("a loop", "".join(contextvars.copy_context().run(list, answer())).rstrip())
asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "starlette==1.10.0, quart==0.22.0:" $found
[ "$found" = "a loop one for Ann in the turn; two for Ann in the turn; three for Ann in the turn;
fastapi async one for Ann in the turn; two for Ann in the turn; three for Ann in the turn;
fastapi sync one for Ann in the turn; two for nobody in no turn; three for nobody in no turn;
quart async one for Ann in the turn; two for Ann in the turn; three for Ann in the turn;
quart sync one for Ann in the turn; two for nobody in no turn; three for nobody in no turn;" ]
