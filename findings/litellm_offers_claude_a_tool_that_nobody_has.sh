#!/usr/bin/env bash
# litellm 1.110.2: a request without tools, after a turn with a call, offers Claude a tool of litellm's own; on Bedrock,
# the call becomes words of Claude.
#
# Guess: An agent that leaves the tools out of its last request, so that the model answers in words, sends none; the
# call and its result stay what they were, as for Gemini, or the request is refused.
# Seen: Claude is offered `dummy_tool`, "This is a dummy tool call", which it may call, and which the program does not
# know; nothing says so, and `modify_params`, which allows changes of a request, is False. On Bedrock, Claude is shown
# that it wrote "[tool call call_1: find(...)]" and the user "[tool result for call_1: Oslo]", which it may write again
# in the place of a call; a warning in the log says that. With the tools of the turn before, neither happens. (Anthropic
# refuses calls without tools; issue 4689, of 2024, asked for the dummy.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check litellm==1.110.2 boto3==1.44.8
cat > "$folder/program.py" <<'PROGRAM'
import json
import os

import litellm
from litellm.types.utils import CallTypes
from litellm.utils import return_raw_request

names = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
os.environ.update(dict.fromkeys(names, "none"), AWS_REGION_NAME="us-east-1")
find = {"name": "find", "description": "Finds people.", "parameters": {"type": "object", "properties": {}}}
call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"who": "Ann"}'}}
talk = [
    {"role": "user", "content": "Where is Ann?"},
    {"role": "assistant", "content": None, "tool_calls": [call]},
    {"role": "tool", "tool_call_id": "call_1", "content": "Oslo"},
]
litellm.suppress_debug_info = True
print("modify_params:", litellm.modify_params)
bedrock = "bedrock/converse/anthropic.claude-sonnet-4-5-20250929-v1:0"
for model in ("gemini/gemini-2.5-pro", "anthropic/claude-sonnet-4-5", bedrock):
    for options in ({"tools": [{"type": "function", "function": find}]}, {}):
        request = return_raw_request(CallTypes.completion, {"model": model, "messages": talk, **options})
        sent = json.dumps(request["raw_request_body"])
        seen = [word for word in ("Finds people.", "dummy_tool", "[tool call call_1", "[tool result") if word in sent]
        print(model.split("/")[0], "tools," if options else "no tools,", *seen)
PROGRAM
found=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "litellm==1.110.2: $found"
[ "$found" = "modify_params: False
gemini tools, Finds people.
gemini no tools,
anthropic tools, Finds people.
anthropic no tools, dummy_tool
bedrock tools, Finds people.
bedrock no tools, [tool call call_1 [tool result" ]
