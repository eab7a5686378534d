#!/usr/bin/env bash
# strands-agents 1.62.0: of two memories, the agent is shown the first one's notes alone, however well a note of the
# second one answers the question.
#
# Guess: A `MemoryManager` with several stores shows the agent the notes that answer best, of whichever store, or some
# of each; a store with `max_search_results=2` gives two.
# Seen: It asks each store for five notes, its own limit or not, puts the answers one behind another in the order of the
# stores, and shows the first five. So a store that always has five hits, as a store of vectors or one with common words
# has, leaves no place for the next: Ann's note, which has all words of her question, is searched for in each turn and
# never shown. With the stores in the other order it is the first. (A comment on the option says that the cap "can favor
# entries from earlier-registered stores".)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check strands-agents==1.62.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import re
from collections import Counter

from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model
from strands.vended_memory_stores.test_memory_store import TestMemoryStore


class Quiet(Model):
    """Says one word, and notes what it was sent last."""

    sent = ""

    def get_config(self):
        return {}

    def update_config(self, **_):
        pass

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        self.sent = " ".join(block["text"] for block in messages[-1]["content"])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


async def main():
    team = TestMemoryStore(name="team", persist=False, max_search_results=2)
    ann = TestMemoryStore(name="ann", persist=False)
    for page in range(5):
        await team.add(f"The code of the door is on page {page}.")
    await ann.add("The code of the locker of Ann is 4711.")
    for stores in ([team, ann], [ann, team]):
        model = Quiet()
        agent = Agent(model, memory_manager=MemoryManager(stores=stores), callback_handler=None)
        await agent.invoke_async("The code of the locker of Ann?")
        shown = Counter(re.findall('source="(.*?)"', model.sent))
        print("shown of", *(f"{store.name} {shown[store.name]}" for store in stores), "4711" in model.sent)


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "strands-agents==1.62.0:" $found
[ "$found" = "shown of team 5 ann 0 False
shown of ann 1 team 4 True" ]
