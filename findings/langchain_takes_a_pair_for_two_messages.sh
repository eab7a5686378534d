#!/usr/bin/env bash
# langchain-core 1.8.3: `convert_to_openai_messages` takes a pair for two messages.
#
# Guess: `("user", "Hi")` is one message, as it is in the lists that `convert_to_messages` takes.
# Seen: By itself it is read as a list of two texts, so the role becomes something that the user said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.messages import convert_to_messages, convert_to_openai_messages

pair = ("user", "Hi")
print([one["content"] for one in convert_to_openai_messages(pair)], [one.content for one in convert_to_messages([pair])])
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-core==1.8.3: $found"
[ "$found" = "['user', 'Hi'] ['Hi']" ]
