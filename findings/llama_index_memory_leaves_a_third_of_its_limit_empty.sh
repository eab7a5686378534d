#!/usr/bin/env bash
# llama-index-core 0.14.25: `Memory` hides messages from everybody long before its token limit, where it has no blocks.
#
# Guess: with the default `token_limit` of 30,000 and no memory blocks, `get` shows all of a talk of 24,000 tokens.
# Seen: The messages get 0.7 of the limit, also where nothing takes the other 0.3. Beyond 21,000 tokens the oldest 3,000
# are flushed, to blocks that there are not; so a view has 18,000 to 21,000 of 30,000 tokens. `get_all` still counts
# them among the active ones.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cat > "$folder/program.py" <<'PROGRAM'
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory


def shown(make):
    """The tokens that a view has of 24,000 that were said, the most that one ever had, and the number of all messages."""
    memory, most = make.from_defaults(token_limit=30_000, tokenizer_fn=str.split), 0
    for number in range(240):
        role = "assistant" if number % 2 else "user"
        memory.put(ChatMessage(role=role, content=" ".join(["word"] * 100)))
        tokens = sum(len(one.content.split()) for one in memory.get())
        most = max(most, tokens)
    return tokens, most, len(memory.get_all())


print(shown(ChatMemoryBuffer), shown(Memory))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" -W ignore program.py)
echo "llama-index-core==0.14.25: $found"
[ "$found" = "(24000, 24000, 240) (21000, 21000, 240)" ]
