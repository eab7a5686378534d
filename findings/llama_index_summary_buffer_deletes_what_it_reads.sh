#!/usr/bin/env bash
# llama-index-core 0.14.25: `ChatSummaryMemoryBuffer.get` deletes from the chat store what no longer fits.
#
# Guess: `get` reads: the store keeps all that was put, as with `ChatMemoryBuffer`, and the summary can be made again.
# Seen: Each `get` empties the store and writes the summary and the newest messages in their place. One look at the view
# leaves a summary and 4 of 12 messages in a store of one's own. Without a model, which is allowed, it leaves the 4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25
cat > "$folder/program.py" <<'PROGRAM'
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore


def kept(make, **options):
    """The number of messages in the store before and after a `get`, and whether the first is still there."""
    store = SimpleChatStore()
    memory = make.from_defaults(chat_store=store, chat_store_key="anna", token_limit=9, tokenizer_fn=str.split, **options)
    for number in range(6):
        memory.put(ChatMessage(role="user", content=f"fact number {number}"))
        memory.put(ChatMessage(role="assistant", content="noted"))
    before = len(store.get_messages("anna"))
    memory.get()
    after = store.get_messages("anna")
    return before, len(after), any(one.content == "fact number 0" for one in after)


print(kept(ChatMemoryBuffer))
print(kept(ChatSummaryMemoryBuffer, llm=MockLLM(max_tokens=1)))
print(kept(ChatSummaryMemoryBuffer))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" -W ignore program.py)
echo "llama-index-core==0.14.25: $found"
[ "$found" = "(12, 12, True)
(12, 5, False)
(12, 4, False)" ]
