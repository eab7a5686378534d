#!/usr/bin/env bash
# autogen-agentchat 0.7.5: an agent goes on showing its model what is no longer in its memory, and each note once a
# turn.
#
# Guess: An agent with a `ListMemory` shows its model what the memory holds at that turn: after `clear()` and a new
# note, the new one alone.
# Seen: Each turn writes all notes into the history, as one more system message that stays. So the note that was
# cleared is still shown, twice, beside the one that took its place, each as "relevant". They take places in a window,
# too: one of four messages has an answer without its question, and a list of notes in the question's place.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    autogen-agentchat==0.7.5 autogen-core==0.7.5 autogen-ext==0.7.5
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import ListMemory, MemoryContent
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_ext.models.replay import ReplayChatCompletionClient


async def talk(window):
    memory, model = ListMemory(), ReplayChatCompletionClient(["a1", "a2", "a3"])
    await memory.add(MemoryContent(content="home: Oslo", mime_type="text/plain"))
    agent = AssistantAgent("agent", model, memory=[memory], system_message=None, model_context=window)
    for turn in range(1, 4):
        if turn == 3:
            await memory.clear()
            await memory.add(MemoryContent(content="home: Rome", mime_type="text/plain"))
        await agent.run(task=f"q{turn}")
    print([message.content.strip().split("1. ")[-1] for message in model.create_calls[-1]["messages"]])


asyncio.run(talk(None))
asyncio.run(talk(BufferedChatCompletionContext(buffer_size=4)))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "autogen-agentchat==0.7.5: $found"
[ "$found" = "['q1', 'home: Oslo', 'a1', 'q2', 'home: Oslo', 'a2', 'q3', 'home: Rome']
['home: Oslo', 'a2', 'q3', 'home: Rome']" ]
