#!/usr/bin/env bash
# pydantic 2.14.3 and FastAPI 0.165.0: if unset fields are left out, the messages of a new conversation are missing from
# its JSON and from the response; those of one that began with a message are not.
#
# Guess: `exclude_unset` leaves out defaults, so that files stay short; a list to which messages were added is no longer
# a default. msgspec's `omit_defaults` and pydantic's own `exclude_defaults` work like this.
# Seen: The constructor or an assignment sets a field, and `append` does not. A conversation that began without messages
# loses all of them, at each save and in FastAPI with `response_model_exclude_unset`, while the count, which was
# assigned, is kept. A conversation that was stored with its first message keeps all later ones, so a test that begins
# with a message passes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic==2.14.3 fastapi==0.165.0 httpx==0.28.1 \
    msgspec==0.23.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

import httpx
import msgspec
import pydantic
from fastapi import FastAPI


class Talk(pydantic.BaseModel):
    user: str
    count: int = 0
    messages: list[str] = []


class Other(msgspec.Struct, omit_defaults=True):
    user: str
    count: int = 0
    messages: list[str] = []


def says(talk, text):
    talk.messages.append(text)
    talk.count += 1
    return talk


def after_restart(text):
    return says(Talk.model_validate_json(text), "Who am I?").model_dump_json(exclude_unset=True)


app = FastAPI()
app.get("/talk", response_model=Talk, response_model_exclude_unset=True)(lambda: says(Talk(user="Ann"), "Hi."))


async def served():
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        return (await client.get("/talk")).text


saved = says(Talk(user="Ann"), "Hi.").model_dump_json(exclude_unset=True)
print("new:", saved)
print("after a restart:", after_restart(saved))
print("begun with a message:", after_restart(Talk(user="Ann", messages=["Hi."]).model_dump_json(exclude_unset=True)))
print("exclude_defaults:", says(Talk(user="Ann"), "Hi.").model_dump_json(exclude_defaults=True))
print("msgspec:", msgspec.json.encode(says(Other(user="Ann"), "Hi.")).decode())
print("FastAPI:", asyncio.run(served()))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "pydantic==2.14.3:" $found
[ "$found" = 'new: {"user":"Ann","count":1}
after a restart: {"user":"Ann","count":2}
begun with a message: {"user":"Ann","count":1,"messages":["Hi.","Who am I?"]}
exclude_defaults: {"user":"Ann","count":1,"messages":["Hi."]}
msgspec: {"user":"Ann","count":1,"messages":["Hi."]}
FastAPI: {"user":"Ann","count":1}' ]
