#!/usr/bin/env bash
# aiocache 0.12.3, cashews 7.6.0 and dogpile.cache 1.5.0 with numpy 2.4.6: two vectors of 1536 numbers that have little
# in common are one question; two of 1000 numbers are not.
#
# Guess: A cached search by a vector has the vector as its key. If an array cannot be a key, there is an error, as with
# `functools.cache`, whose arguments must be hashable.
# Seen: All three put the array into the key as `print` shows it: of more than 1000 numbers, the first and the last
# three. The vectors of two texts, of 1536 numbers, differ in all the others, and the second text gets the first one's
# notes. Similarly, the key of an object that holds a conversation is its address in memory: after the next message, the
# cache still gives the answer to the message before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check aiocache==0.12.3 cashews==7.6.0 \
    dogpile.cache==1.5.0 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

import aiocache
import cashews
import dogpile.cache
import numpy

cashews.cache.setup("mem://")
region = dogpile.cache.make_region().configure("dogpile.cache.memory")


class Talk:
    def __init__(self):
        self.messages = []


def search(vector):
    return ("tea", "rent")[int(vector[numbers // 2] < 0)]


def answer(talk):
    return f"to {len(talk.messages)}"


def in_thread(function):
    async def call(argument):
        return function(argument)

    call.__qualname__ = call.__name__ = function.__name__
    return call


caches = {
    "aiocache": lambda function: aiocache.cached()(in_thread(function)),
    "cashews": lambda function: cashews.cache(ttl="1h")(in_thread(function)),
    "dogpile": lambda function: in_thread(region.cache_on_arguments()(function)),
}


async def main():
    global numbers
    for name, cache in caches.items():
        found = []
        find, reply, talk = cache(search), cache(answer), Talk()
        for numbers in (1000, 1536):
            tea = numpy.ones(numbers)
            rent = -tea
            rent[:3] = rent[-3:] = 1
            found += [await find(tea), await find(rent)]
        for message in ("Hi.", "Who am I?"):
            talk.messages.append(message)
            found.append(await reply(talk))
        print(f"{name}:", *found)


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo $found
[ "$found" = "aiocache: tea rent tea tea to 1 to 1
cashews: tea rent tea tea to 1 to 1
dogpile: tea rent tea tea to 1 to 1" ]
