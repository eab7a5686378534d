#!/usr/bin/env bash
# polars 2.1.0: of a log of messages in lines of JSON, a member that comes first after the hundredth line is not read,
# and no error says so.
#
# Guess: A reader of a log reads all of it. One that guesses the columns from the first hundred lines, as the manual
# says of `infer_schema_length`, raises an error at the first line that has more, as `read_json` does with the same
# messages in a list, and as `read_ndjson` does with a value of another type.
# Seen: `read_ndjson` and `scan_ndjson` leave the member out of all lines: there is no column for it. A talk whose first
# call of a tool is in message 101 has no calls. (Reported upstream in September 2026.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
cat > "$folder/program.py" <<'PROGRAM'
import io
import json
import sys

import polars

log = f"{sys.argv[1]}/log.jsonl"
call = {"id": "call1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
for place in (100, 101):
    messages = [{"role": "user", "content": f"Hello {number}."} for number in range(150)]
    messages[place - 1] |= {"role": "assistant", "tool_calls": [call]}
    with open(log, "w") as file:
        file.writelines(json.dumps(message) + "\n" for message in messages)
    read = {
        "read_ndjson": lambda: polars.read_ndjson(log),
        "scan_ndjson": lambda: polars.scan_ndjson(log).collect(),
        "read_json": lambda: polars.read_json(io.StringIO(json.dumps(messages))),
    }
    for name, columns in read.items():
        try:
            print(f"{name}, {place}:", *columns().columns)
        except polars.exceptions.ComputeError as error:
            print(f"{name}, {place}:", str(error).split(",")[0])
with open(log, "w") as file:
    file.writelines(json.dumps({"content": number if number < 100 else "Hello."}) + "\n" for number in range(150))
try:
    polars.read_ndjson(log)
except polars.exceptions.ComputeError:
    print("read_ndjson, another type: an error")
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" "$folder")
echo "polars==2.1.0:" $found
[ "$found" = "read_ndjson, 100: role content tool_calls
scan_ndjson, 100: role content tool_calls
read_json, 100: role content tool_calls
read_ndjson, 101: role content
scan_ndjson, 101: role content
read_json, 101: extra field in struct data: tool_calls
read_ndjson, another type: an error" ]
