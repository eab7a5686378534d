#!/usr/bin/env bash
# llama-index-core 0.14.25 with llama-index-workflows 2.26.1 and pydantic 2.13.5: an agent that is given a memory and a
# context writes the first turn into that memory, and the later ones into a copy of it.
#
# Guess: `agent.run(question, ctx=ctx, memory=memory)` writes each turn into the memory that it is given, so a program
# that saves its chat store at the end of the day saves the talk, whichever of the memories it has.
# Seen: With `Memory` it does. With a `ChatMemoryBuffer` on a chat store of one's own, the store has the first of three
# turns. The model is shown all of them, so the agent seems to remember: between two turns the context writes and reads
# what it holds, its copy of the memory among it, and an agent takes the memory of its context before the one that it is
# given. After a restart, the agent knows the first turn alone. Nothing says so. Without a context, each turn is in the
# store.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 \
    llama-index-workflows==2.26.1 pydantic==2.13.5
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
import glob
import os
import sys

caches = glob.glob(sys.prefix + "/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache")
os.environ["TIKTOKEN_CACHE_DIR"] = caches[0]

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.workflow import Context

QUESTIONS = ("I am Ann.", "I eat no nuts.", "I live in Oslo.")


async def main(kind, with_context):
    shown = []

    def answer(messages, **_):
        shown.append([message.content for message in messages if message.content in QUESTIONS])
        return ChatMessage(role="assistant", content="Well.")

    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=answer, is_chat_model=True), tools=[])
    context = Context(agent) if with_context else None
    store = SimpleChatStore()
    memory = Memory.from_defaults() if kind is Memory else kind.from_defaults(chat_store=store)
    for question in QUESTIONS:
        await agent.run(question, ctx=context, memory=memory)
    if kind is ChatMemoryBuffer:
        store.persist("talk.json")
        memory = kind.from_defaults(chat_store=SimpleChatStore.from_persist_path("talk.json"))
    kept = [message.content for message in memory.get_all() if message.content in QUESTIONS]
    print(kind.__name__, "and a context:" if with_context else "alone:", len(shown[-1]), "shown,", len(kept), "kept")


for kind in (Memory, ChatMemoryBuffer):
    for with_context in (False, True):
        asyncio.run(main(kind, with_context))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "llama-index-core==0.14.25:" $found
[ "$found" = "Memory alone: 3 shown, 3 kept
Memory and a context: 3 shown, 3 kept
ChatMemoryBuffer alone: 3 shown, 3 kept
ChatMemoryBuffer and a context: 3 shown, 1 kept" ]
