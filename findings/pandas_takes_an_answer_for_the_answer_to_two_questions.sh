#!/usr/bin/env bash
# pandas 3.1.1: an answer in a chat with ids of nineteen digits is joined to two questions, and to itself.
#
# Guess: `read_json` keeps a text in quotation marks as a text, as the export wrote the ids so that no program rounds
# them; at the worst, a column of numbers becomes one of whole numbers.
# Seen: Both columns become numbers: the ids whole ones, and `reply_to`, which not each message has, floating ones of
# sixteen digits. A join of the two compares both as floating ones, so each message whose id is near enough is the one
# that was answered. The text "0042" becomes 42. With `dtype=False` or `dtype_backend="pyarrow"`, texts stay texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1
cat > "$folder/program.py" <<'PROGRAM'
import io
import json

import pandas

messages = [
    {"id": "1312345678901234567", "reply_to": None, "text": "Who has the key?", "code": "0042"},
    {"id": "1312345678901234569", "reply_to": None, "text": "Who has the cat?", "code": "0043"},
    {"id": "1312345678901234601", "reply_to": "1312345678901234567", "text": "Bob.", "code": "0044"},
]
export = "\n".join(map(json.dumps, messages))
for options in ({}, {"dtype": False}, {"dtype_backend": "pyarrow"}):
    read = pandas.read_json(io.StringIO(export), lines=True, **options)
    joined = read.merge(read, left_on="reply_to", right_on="id", suffixes=("", "_before"))
    answers = [f"{one.text_before} {one.text}" for one in joined.itertuples()]
    print(*options, read["code"][0], *answers, sep=" | ")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "pandas==3.1.1:" $found
[ "$found" = "42 | Who has the key? Bob. | Who has the cat? Bob. | Bob. Bob.
dtype | 0042 | Who has the key? Bob.
dtype_backend | 0042 | Who has the key? Bob." ]
