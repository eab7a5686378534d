#!/usr/bin/env bash
# mistral-common 1.13.1: its validators for versions 1 to 3 call an empty answer one with content and tool calls.
#
# Guess: An answer without words is accepted, or the error says that it is empty.
# Seen: "Assistant message must have either content or tool_calls, but not both." for an answer that has neither; the
# validators of version 7 and later accept it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mistral-common==1.13.1
cat > "$folder/program.py" <<'PROGRAM'
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
from mistral_common.tokens.tokenizers.base import TokenizerVersion

said = [("user", "Hi!"), ("assistant", ""), ("user", "Are you there?")]
messages = [{"role": role, "content": content} for role, content in said]
for version in (TokenizerVersion.v3, TokenizerVersion.v7):
    request = ChatCompletionRequest.from_openai(messages, model="m")
    try:
        get_validator(version, ValidationMode.serving).validate_request(request)
        print(version.value, "accepted", end="; ")
    except Exception as error:
        print(version.value, error, end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "mistral-common==1.13.1: $found"
[ "$found" = "v3 Assistant message must have either content or tool_calls, but not both.; v7 accepted; " ]
