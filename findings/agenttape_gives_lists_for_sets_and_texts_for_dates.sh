#!/usr/bin/env bash
# agenttape 0.1.8: a tool's result has other types in a replay than in the run that was recorded.
#
# Guess: A recorded tool gives back in a replay what it gave while it was recorded ("same inputs, same output").
# Seen: A set and a tuple come back as lists, a date, a decimal and a number as a key as texts, and a KeyError with
# another argument. `price * 2` is 2.20 in the recording, and "1.101.10" in the replay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agenttape==0.1.8
cat > "$folder/program.py" <<'PROGRAM'
import agenttape
from datetime import date
from decimal import Decimal


@agenttape.tool
def look():
    return {"price": Decimal("1.10"), "day": date.fromisoformat("2026-01-02"), "seen": {1}, "pair": (1, 2), "by": {7: "a"}}


@agenttape.tool
def fail():
    raise KeyError("x")


def run():
    found = look()
    try:
        fail()
    except Exception as error:
        found["error"] = error
    found["twice"] = found["price"] * 2
    return found


with agenttape.use_cassette("run", mode="record", cassette_dir="."):
    print(list(map(repr, run().values())))
with agenttape.use_cassette("run", mode="none", cassette_dir="."):
    print(list(map(repr, run().values())))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "agenttape==0.1.8: $found"
[ "$(tail -1 <<< "$found")" = "[\"'1.10'\", \"'2026-01-02'\", '[1]', '[1, 2]', \"{'7': 'a'}\", 'KeyError(\"\\'x\\'\")', \"'1.101.10'\"]" ]
