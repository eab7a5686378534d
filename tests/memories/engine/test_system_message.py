"""Which system message holds: found without reading a long log, and followed across processes."""

from typing import Any

import pytest

from memzoo.memories import BaseMemory, ConversationBufferWindowMemory, create_memory
from memzoo.stores import Entries, InMemoryStore, Message, StateUpdate
from memzoo.stores.errors import ConflictError

PIRATE: Message = {"role": "system", "content": "You are a pirate."}
POET: Message = {"role": "system", "content": "You are a poet."}


class CountingStore(InMemoryStore):
    """Counts what is read, and may let a commit fail."""

    def __init__(self) -> None:
        super().__init__()
        self.read_entries = self.looked_up = 0
        self.conflict = False

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        self.read_entries += len(found)
        return found

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        self.looked_up += 1
        return await super().read_state(conversation_id, strategy, since=since)

    async def commit(self, *names: Any, **kept: Any) -> int:
        """See `Store.commit`."""
        if self.conflict:
            raise ConflictError("another was faster")
        return await super().commit(*names, **kept)


@pytest.fixture
def store() -> CountingStore:
    """A new store."""
    return CountingStore()


def opened(store: CountingStore) -> BaseMemory:
    """A memory, as another process would have it."""
    return ConversationBufferWindowMemory(k=1, store=store, conversation_id="a")


def tell(memory: BaseMemory, count: int) -> None:
    """So many exchanges."""
    for number in range(count):
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})


@pytest.mark.parametrize("count", [127, 128, 500])
def test_is_found_without_reading_a_long_log(store: CountingStore, count: int) -> None:
    """A new memory reads the end of the log, the newest 256 messages at most for this, and looks it up once."""
    memory = opened(store)
    memory.add_messages([PIRATE])
    tell(memory, count)
    store.read_entries = store.looked_up = 0
    again = opened(store)
    for _ in range(3):
        assert again.messages()[0] == PIRATE
    assert store.read_entries <= 256 + 64
    assert store.looked_up == 1


def test_is_followed_from_memory_to_memory(store: CountingStore) -> None:
    """A memory that is open sees the system message that another one was given."""
    first, second = opened(store), opened(store)
    first.add_messages([PIRATE])
    tell(first, 1)
    assert second.messages()[0] == PIRATE
    second.add_messages([POET])
    assert first.messages()[0] == POET
    second.clear()
    assert first.messages() == []


def test_an_equal_one_changes_nothing(store: CountingStore) -> None:
    """Where the place of a system message counts, an equal one leaves it where it was, however long ago that is."""
    memory = create_memory("message-window", store=store, conversation_id="a", max_messages=4, system_first=False)
    memory.add_messages([PIRATE])
    tell(memory, 200)
    memory.add_messages([PIRATE])
    tell(memory, 1)
    again = create_memory("message-window", store=store, conversation_id="a", max_messages=4, system_first=False)
    assert again.messages()[0] == memory.messages()[0] == PIRATE


def test_a_conflict_costs_nothing(store: CountingStore) -> None:
    """When it cannot be written down, because another process did, the save succeeds and it is found all the same."""
    memory = opened(store)
    memory.add_messages([PIRATE])
    store.conflict = True
    tell(memory, 300)
    assert opened(store).messages()[0] == memory.messages()[0] == PIRATE


def test_forgetting_brings_back_the_one_before_it(store: CountingStore) -> None:
    """Also when it was written down already."""
    memory, other = opened(store), opened(store)
    memory.add_messages([PIRATE])
    memory.add_messages([POET])
    tell(memory, 200)
    assert other.messages()[0] == POET
    memory.forget([2])
    for one in (memory, other, opened(store)):
        assert one.messages()[0] == PIRATE
