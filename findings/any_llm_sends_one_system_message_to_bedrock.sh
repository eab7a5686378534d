#!/usr/bin/env bash
# any-llm-sdk 1.40.2: of several system messages, its Bedrock provider sends the first.
#
# Guess: All of them reach the model, as with its Anthropic and Gemini providers, or the converter refuses the list.
# Seen: `_convert_messages` of Bedrock keeps the first system message; the others are in no part of the request, and
# nothing is said. For Anthropic and Gemini, the same list keeps both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'any-llm-sdk[anthropic,bedrock,gemini]==1.40.2'
cat > "$folder/program.py" <<'PROGRAM'
from any_llm.providers.anthropic.utils import _convert_messages_for_anthropic
from any_llm.providers.bedrock.utils import _convert_messages as convert_for_bedrock
from any_llm.providers.gemini.utils import _convert_messages as convert_for_gemini

said = [("system", "Be brief."), ("system", "The user is called Mara."), ("user", "Who am I?")]
messages = [{"role": role, "content": content} for role, content in said]
for convert in (_convert_messages_for_anthropic, convert_for_gemini, convert_for_bedrock):
    text = str(convert([dict(message) for message in messages]))
    print("Be brief." in text, "Mara" in text, end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "any-llm-sdk==1.40.2: Anthropic, Gemini, Bedrock: $found"
[ "$found" = "True True; True True; True False; " ]
