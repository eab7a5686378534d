#!/usr/bin/env bash
# langchain-core 1.8.3: `merge_message_runs` merges parts of two messages that have the same index.
#
# Guess: two messages in a row become one with the parts of both, in order.
# Seen: The index, which numbers the pieces of one streamed message, is compared across the messages: two words of two
# people become one part.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.messages import HumanMessage, merge_message_runs

said = [HumanMessage([{"type": "text", "text": text, "index": 0}]) for text in ("I like tea.", "I like coffee.")]
[merged] = merge_message_runs(said)
print([part["text"] for part in merged.content])
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-core==1.8.3: $found"
[ "$found" = "['I like tea.I like coffee.']" ]
