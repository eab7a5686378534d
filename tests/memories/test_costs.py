"""What a turn costs, however long the conversation: reads of the store, counted tokens, model calls."""

from collections.abc import Callable
from typing import Any

import pytest

from memzoo.memories import BaseMemory, ConversationSummaryMemory, create_memory
from memzoo.memories.testing.contract import ScriptedModel
from memzoo.stores import Entries, InMemoryStore, Message

Make = Callable[..., BaseMemory]

BOUNDED = ["window", "summary", "summary-buffer", "entity", "vector-retriever", "knowledge-graph"]


class CountingStore(InMemoryStore):
    """Counts the entries that are read."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = 0

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        entries = await super().read(conversation_id, **bounds)
        self.entries += len(entries)
        return entries


def take_turns(memory: BaseMemory, first: int, last: int) -> None:
    """Load and save, as a chatbot does."""
    for number in range(first, last):
        said = f"Sam likes tea{number}"
        memory.load_memory_variables({"input": said})
        memory.save_context({"input": said}, {"output": f"Good for Sam {number}"})


@pytest.mark.parametrize("name", BOUNDED)
def test_a_turn_reads_no_more_of_a_longer_conversation(name: str, make: Make) -> None:
    """The entries that a turn reads do not grow with the length of the conversation (I10, C2)."""
    store = CountingStore()
    memory = make(name, store)
    reads: list[int] = []
    for start in (0, 30, 300):
        take_turns(memory, start, start + 10)
        store.entries = 0
        take_turns(memory, start + 10, start + 15)
        reads.append(store.entries)
    assert reads[1] == reads[2] > 0


@pytest.mark.parametrize("name", BOUNDED)
def test_a_turn_asks_a_model_as_often_in_a_longer_conversation(name: str, make: Make) -> None:
    """A turn makes two model calls at most, the hundredth as the tenth (I11, C3)."""
    memory = make(name)
    take_turns(memory, 0, 10)
    before = memory.usage.total.calls
    take_turns(memory, 10, 20)
    after = memory.usage.total.calls
    take_turns(memory, 20, 100)
    take_turns(memory, 100, 110)
    assert (after - before) / 10 <= 2
    assert memory.usage.total.calls - after == 9 * (after - before)


def test_taking_in_a_conversation_reads_it_once() -> None:
    """`from_messages` reads each message a bounded number of times, not everything at each step (C2)."""
    store = CountingStore()
    said: list[Message] = [{"role": "user", "content": f"{number}"} for number in range(200)]
    model = ScriptedModel(*["ok"] * 100)
    ConversationSummaryMemory.from_messages(model, said, store=store, conversation_id="a")
    assert len(model.asked) == 100
    assert store.entries <= 2 * len(said)


def test_a_state_is_not_read_again() -> None:
    """A memory reads from the store only what changed since it looked last, not its whole state (I10)."""

    class Watching(InMemoryStore):
        read_items = 0

        async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> Any:
            update = await super().read_state(conversation_id, strategy, since=since)
            Watching.read_items += len(update.changes)
            return update

    facts = [f"Sam{number} | likes | tea" for number in range(30)]
    memory = create_memory("knowledge-graph", llm=ScriptedModel(*facts), store=Watching())
    for number in range(30):
        memory.save_context({"input": f"{number}"}, {"output": "ok"})
    assert Watching.read_items == 0
