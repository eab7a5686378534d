"""Which system message holds: found without reading a long log, and followed across processes."""

from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta
from typing import Any

import pytest

from memzoo.errors import ConflictError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.migrate.importing import import_logs
from memzoo.memories import BaseMemory, ConversationBufferWindowMemory, create_memory, delete_old
from memzoo.stores import Entries, InMemoryStore, Message, Record, StateUpdate
from memzoo.sync import drive

PIRATE: Message = {"role": "system", "content": "You are a pirate."}
POET: Message = {"role": "system", "content": "You are a poet."}


class CountingStore(InMemoryStore):
    """Counts what is read, may let a commit fail, and lets a rival act before a state is read, once."""

    def __init__(self) -> None:
        super().__init__()
        self.read_entries = self.looked_up = 0
        self.conflict = False
        self.rival: Callable[[], Awaitable[object]] | None = None

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        self.read_entries += len(found)
        return found

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`."""
        self.looked_up += strategy == "system-message"
        rival, self.rival = self.rival, None
        if rival:
            await rival()
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
    """A new memory reads the end of the log, and hardly anything else for this, and looks it up once."""
    memory = opened(store)
    memory.add_messages([PIRATE])
    tell(memory, count)
    store.read_entries = store.looked_up = 0
    again = opened(store)
    for _ in range(3):
        assert again.messages()[0] == PIRATE
    assert store.read_entries <= 100
    assert store.looked_up == 1


def test_that_there_is_none_is_known_without_reading_a_long_log(store: CountingStore) -> None:
    """A conversation without any, as most are, is opened as quickly."""
    tell(opened(store), 500)
    store.read_entries = 0
    assert len(opened(store).messages()) == 2
    assert store.read_entries <= 100


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
    memory = create_memory("message-window", store=store, conversation_id="a", max_messages=4, rules="langchain4j")
    memory.add_messages([PIRATE])
    tell(memory, 200)
    memory.add_messages([PIRATE])
    tell(memory, 1)
    again = create_memory("message-window", store=store, conversation_id="a", max_messages=4, rules="langchain4j")
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


LONG = 10_000


@pytest.fixture
def imported(store: CountingStore) -> CountingStore:
    """A store with a long conversation of another library, which begins with a system message."""
    said = [PIRATE, *({"role": ("user", "assistant")[n % 2], "content": f"m{n}"} for n in range(LONG - 1))]
    import_logs(store, [ChatLog("a", said, [None] * LONG)])
    return store


def rows_to_open(store: CountingStore) -> int:
    """How many entries a new memory reads to show what it shows."""
    store.read_entries = 0
    assert opened(store).messages()[0] == PIRATE
    return store.read_entries


def test_an_imported_conversation_is_opened_without_reading_it(imported: CountingStore) -> None:
    """Whoever opens 10,000 imported messages reads a hundred at most."""
    assert rows_to_open(imported) <= 100


def test_what_an_import_adds_is_looked_through_once(imported: CountingStore) -> None:
    """An import that adds to a conversation leaves nothing to look for, either."""
    said = drive(imported.read("a"))
    more: list[Message] = [{"role": "user", "content": f"more {n}"} for n in range(500)]
    import_logs(imported, [ChatLog("a", [*(entry.message for entry in said), *more], [None] * (LONG + 500))])
    assert rows_to_open(imported) <= 100


@pytest.mark.parametrize("gone", [[3], [LONG], list(range(LONG - 200, LONG + 1))])
def test_forgetting_does_not_make_anybody_look_again(imported: CountingStore, gone: list[int]) -> None:
    """After a `forget` of other messages than the system message, it need not be looked for."""
    opened(imported).forget(gone)
    assert rows_to_open(imported) <= 100


def test_what_was_forgotten_meanwhile_is_not_written_down(store: CountingStore) -> None:
    """Whichever message a process is about to write down, it is one that is still there."""
    opened(store).add_messages([POET, PIRATE])
    store.rival = lambda: store.forget("a", [2])
    drive(opened(store).log.system.write_down())
    assert store.rival is None
    assert "pirate" not in str(drive(store.read_state("a", "system-message")))
    assert opened(store).messages()[0] == POET


def test_retention_does_not_make_anybody_look_again(imported: CountingStore) -> None:
    """After old messages went, what is left of the conversation is opened as quickly."""
    memory = opened(imported)
    memory.add_messages([PIRATE, POET, PIRATE])
    tell(memory, 100)
    delete_old(imported, older_than=timedelta(0), now=memory.entries(limit=1)[0].created_at + timedelta(microseconds=1))
    assert rows_to_open(imported) <= 100


def test_direct_appends_are_looked_through_until_the_next_save(store: CountingStore) -> None:
    """What no memory saw is looked through when it is opened, and a save writes down what was found."""
    for number in range(20):
        drive(store.append("a", [Record(PIRATE)] * 100, turn_id=str(number)))
    assert rows_to_open(store) >= 2000
    memory = opened(store)
    memory.messages()
    tell(memory, 1)
    assert rows_to_open(store) <= 100
    drive(store.append("a", [Record({"role": "user", "content": "q"})], turn_id="more"))
    assert rows_to_open(store) <= 100


def test_a_message_forgotten_by_another_process_does_not_come_back(
    store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system message that another process forgets during a `forget` is not written down again."""
    memory = opened(store)
    memory.add_messages([PIRATE])
    tell(memory, 100)
    forget = store.forget

    async def both(conversation_id: str, seqs: Collection[int], **options: bool) -> list[int]:
        gone = await forget(conversation_id, seqs, **options)
        await forget(conversation_id, [1])
        return gone

    monkeypatch.setattr(store, "forget", both)
    memory.forget([3])
    monkeypatch.undo()
    assert PIRATE not in opened(store).messages()
    tell(memory, 1)
    assert PIRATE not in opened(store).messages()
