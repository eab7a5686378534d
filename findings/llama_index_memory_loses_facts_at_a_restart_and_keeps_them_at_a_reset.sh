#!/usr/bin/env bash
# llama-index-core 0.14.25: a `Memory` in a database loses its facts at a restart, and keeps them at a reset.
#
# Guess: With a session and a database of one's own, a memory that is opened again shows what it showed before; after
# `reset()` ("Reset the memory") it shows nothing.
# Seen: Only messages are in the database. The facts of a `FactExtractionMemoryBlock` live in the process: opened again,
# the memory shows no fact, nor the messages that it took the facts from, as those count as archived. `reset()` is the
# other way round: it deletes the messages, and the facts are shown on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 aiosqlite==0.22.1
cat > "$folder/program.py" <<'PROGRAM'
import os

from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.memory import FactExtractionMemoryBlock, Memory


class Reader(MockLLM):
    """Finds one fact in whatever it reads."""

    async def achat(self, messages, **options):
        return ChatResponse(message=ChatMessage("<facts><fact>Ann lives in Oslo</fact></facts>", role="assistant"))


def opened():
    return Memory.from_defaults(
        session_id="ann",
        token_limit=60,
        chat_history_token_ratio=0.5,
        token_flush_size=20,
        tokenizer_fn=str.split,
        memory_blocks=[FactExtractionMemoryBlock(llm=Reader())],
        async_database_uri=f"sqlite+aiosqlite:///{os.environ['DATABASE']}",
    )


def report(when, memory):
    shown = " ".join(message.content for message in memory.get())
    print(f"{when}: Oslo is shown {'Oslo' in shown}, messages kept {len(memory.get_all())}")


memory = opened()
for text in ("I live in Oslo.", *(f"And this is message {number} of us." for number in range(2, 8))):
    memory.put(ChatMessage(text))
report("before", memory)
report("opened again", opened())
memory.reset()
report("after a reset", memory)
PROGRAM
found=$(DATABASE="$folder/memory.db" "$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "llama-index-core==0.14.25: $found"
[ "$found" = "before: Oslo is shown True, messages kept 7
opened again: Oslo is shown False, messages kept 7
after a reset: Oslo is shown True, messages kept 0" ]
