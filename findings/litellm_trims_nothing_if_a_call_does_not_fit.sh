#!/usr/bin/env bash
# litellm 1.110.2: where a tool's call does not fit any more, `trim_messages` gives the whole history back.
#
# Guess: It keeps to `max_tokens`, "ensures tokens(messages) < max_tokens": what does not fit leaves, a call with its
# result; if that cannot be, it is an error. `return_response_tokens=True` gives a pair.
# Seen: A message that does not fit is shortened by the middle of its words, and a call has none: the error is only
# logged, and all 21 messages come back. Without the call and its result, 19 become 2. Where all fit, there is no pair:
# of a talk of two messages, `messages, tokens = ...` takes the first for the messages and the second for the tokens.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check litellm==1.110.2
cat > "$folder/program.py" <<'PROGRAM'
import json

from litellm import token_counter
from litellm.utils import trim_messages

model = "gpt-4o"
talk = []
for number in range(9):
    talk.append({"role": "user", "content": f"Question {number}, " + "word " * 50})
    talk.append({"role": "assistant", "content": f"Answer {number}, " + "word " * 50})
function = {"name": "note", "arguments": json.dumps({"text": "word " * 100})}
call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
question = {"role": "user", "content": "Note that."}
result = {"role": "tool", "tool_call_id": "c1", "content": "done"}
for name, messages in (("with a call", [*talk, question, call, result]), ("without", [*talk, question])):
    kept = trim_messages(messages, model, max_tokens=60)
    print(f"{name}: {len(messages)} -> {len(kept)}, fits {token_counter(model, messages=kept) <= 60}")
short = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
messages, tokens = trim_messages(short, model, return_response_tokens=True)
print("tokens:", tokens["content"])
PROGRAM
export LITELLM_LOCAL_MODEL_COST_MAP=True
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "litellm==1.110.2:" $found
[ "$found" = "with a call: 21 -> 21, fits False
without: 19 -> 2, fits True
tokens: Hello." ]
