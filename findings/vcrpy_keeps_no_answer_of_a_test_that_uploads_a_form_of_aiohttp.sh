#!/usr/bin/env bash
# vcrpy 9.4.2 with aiohttp 3.14.5: one upload with `aiohttp.FormData` costs a cassette all its answers, so each run of
# the test asks the models again.
#
# Guess: A recorder that supports aiohttp records an upload, of a spoken question say, in each form that aiohttp has for
# it: `FormData`, which gives the file a name and a type, or a dictionary.
# Seen: The body of a `FormData` is never read: the object itself goes into the cassette, which cannot be written with
# it, in YAML or in JSON. The upload is answered; only as the cassette closes, it raises an error, and the answer of
# the chat that was recorded before the upload is lost with it. So the second run finds no recording, asks again, and
# fails again. With a dictionary of the same file, the first run records both, and the second one asks nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check vcrpy==9.4.2 aiohttp==3.14.5
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
import io
import os

import aiohttp
import vcr
from aiohttp import web


def as_dictionary():
    return {"file": io.BytesIO(b"spoken words")}


def as_form():
    form = aiohttp.FormData()
    form.add_field("file", io.BytesIO(b"spoken words"), filename="question.wav", content_type="audio/wav")
    return form


async def main():
    asked = []

    async def answers(request):
        asked.append(await request.read())
        return web.json_response({"text": "Well."})

    app = web.Application()
    app.router.add_post("/{any}", answers)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = "http://127.0.0.1:%d" % runner.addresses[0][1]

    async def test(make):
        async with aiohttp.ClientSession() as client:
            await (await client.post(f"{url}/chat", json={"words": "Hello"})).json()
            await (await client.post(f"{url}/transcriptions", data=make())).json()

    for make in (as_dictionary, as_form):
        for serializer in ("yaml", "json") if make is as_form else ("yaml",):
            cassette = f"{make.__name__}.{serializer}"
            for run in (1, 2):
                asked.clear()
                try:
                    with vcr.use_cassette(cassette, serializer=serializer, match_on=["method", "uri", "body"]):
                        await test(make)
                    end = "passed"
                except Exception:
                    end = "failed"
                print(f"{cassette} {run}: {len(asked)} asked, {end},", "kept" if os.path.exists(cassette) else "lost")


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" program.py)
echo "vcrpy==9.4.2:" $found
[ "$found" = "as_dictionary.yaml 1: 2 asked, passed, kept
as_dictionary.yaml 2: 0 asked, passed, kept
as_form.yaml 1: 2 asked, failed, lost
as_form.yaml 2: 2 asked, failed, lost
as_form.json 1: 2 asked, failed, lost
as_form.json 2: 2 asked, failed, lost" ]
