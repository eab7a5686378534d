#!/usr/bin/env bash
# datasets 5.2.0: in a set of talks that is made from a list, each call of a tool has the arguments of all other tools.
#
# Guess: A talk comes out of `Dataset.from_list` as it went in, and as `load_dataset` reads the same talks from a file
# of JSON lines: the call of the weather has a city.
# Seen: `from_list` makes one record of all arguments in the set, so the call of the weather has an amount and a note,
# too, which are None; each message has `tool_calls` and `content`. A template that writes arguments as JSON teaches a
# model to call the weather with an amount, and an argument that was null cannot be told from one that was not there.
# `load_dataset` gives each call its own arguments.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datasets==5.2.0 pyarrow==26.0.1
cat > "$folder/program.py" <<'PROGRAM'
import json
import sys
from pathlib import Path

from datasets import Dataset, load_dataset


def talk(name, **arguments):
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"messages": [{"role": "user", "content": "Please."}, {"role": "assistant", "tool_calls": [call]}]}


talks = [talk("weather", city="Oslo"), talk("pay", amount=5, note=None)]
path = Path(sys.argv[1]) / "talks.jsonl"
path.write_text("\n".join(map(json.dumps, talks)))
from_file = load_dataset("json", data_files=str(path), split="train", cache_dir=sys.argv[1])
for name, rows in (("from_list", Dataset.from_list(talks)), ("load_dataset", from_file)):
    for row in rows:
        user, assistant = row["messages"]
        arguments = assistant["tool_calls"][0]["function"]["arguments"]
        print(name, sorted(user), json.dumps(arguments, sort_keys=True))
PROGRAM
export HF_HUB_OFFLINE=1
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "datasets==5.2.0:" $found
[ "$found" = "from_list ['content', 'role', 'tool_calls'] {\"amount\": null, \"city\": \"Oslo\", \"note\": null}
from_list ['content', 'role', 'tool_calls'] {\"amount\": 5, \"city\": null, \"note\": null}
load_dataset ['content', 'role'] {\"city\": \"Oslo\"}
load_dataset ['content', 'role'] {\"amount\": 5, \"note\": null}" ]
