#!/usr/bin/env bash
# llama-index-core 0.14.25: with `Memory`, the state of an agent is gone from its requests once a tool was called; with
# `ChatMemoryBuffer`, each old state stays in the talk, as words of the user.
#
# Guess: With either memory, the `initial_state` of an agent stands in each request, as it is by then; the memory keeps
# the words of the user as they were said.
# Seen: The state, "Ann eats no nuts", is written into the question of the first request only. With `Memory`, the
# request after the call does not have it, so the model that reads the result of the tool knows of no nuts. With
# `ChatMemoryBuffer`, which an agent has by default though it is deprecated, the state is written over the question in
# the memory itself: it stays, and where the state was replaced, the next turn shows both, the old one and the new one,
# as if the user had said so. (Issue 22248, open since July 2026, reports that the change of a tool is not shown.)
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

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.workflow import Context


def order() -> str:
    """Order a meal."""
    return "Ordered."


async def main(kind):
    shown = []

    def answer(messages, **_):
        shown.append([str(message.content) for message in messages])
        if len(shown) == 1:
            call = ToolCallBlock(tool_name="order", tool_call_id="call_1", tool_kwargs={})
            return ChatMessage(role="assistant", blocks=[call])
        return ChatMessage(role="assistant", content="Done.")

    llm = MockFunctionCallingLLM(response_generator=answer, is_chat_model=True)
    state = {"diet": "Ann eats no nuts"}
    agent = AgentWorkflow.from_tools_or_functions([order], llm=llm, initial_state=state, state_prompt="{state} {msg}")
    context, memory = Context(agent), kind.from_defaults()
    await agent.run("Order.", ctx=context, memory=memory)
    await context.store.set("state", {"diet": "Ann eats all"})
    await agent.run("Thanks.", ctx=context, memory=memory)
    for messages in shown:
        print(f"{kind.__name__}:", *(words for words in messages if words.endswith(("Order.", "Thanks."))))


for kind in (Memory, ChatMemoryBuffer):
    asyncio.run(main(kind))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "llama-index-core==0.14.25:" $found
[ "$found" = "Memory: {'diet': 'Ann eats no nuts'} Order.
Memory: Order.
Memory: Order. {'diet': 'Ann eats all'} Thanks.
ChatMemoryBuffer: {'diet': 'Ann eats no nuts'} Order.
ChatMemoryBuffer: {'diet': 'Ann eats no nuts'} Order.
ChatMemoryBuffer: {'diet': 'Ann eats no nuts'} Order. {'diet': 'Ann eats all'} Thanks." ]
