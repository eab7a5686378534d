"""What is kept of a conversation, and what is read of it."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from random import Random
from typing import Any

import pytest

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory, CombinedMemory, ConversationBufferMemory, create_memory
from memzoo.stores import Entries, Entry, InMemoryStore, Message, open_store
from memzoo.strategy import Changes, Log, State, View, strategy
from memzoo.sync import drive
from tests.conversations import Chatter


class WatchedStore(InMemoryStore):
    """Counts the entries that are read, and can be made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.read_entries = 0
        self.broken = False

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        found = await super().read(conversation_id, **bounds)
        self.read_entries += len(found)
        return found

    async def forget(self, conversation_id: str, seqs: Collection[int], **how: bool) -> list[int]:
        """See `Store.forget`."""
        if self.broken:
            raise StoreError("the disk is full")
        return await super().forget(conversation_id, seqs, **how)


def tell(memory: BaseMemory, count: int) -> None:
    """So many exchanges."""
    for number in range(count):
        memory.save_context({"input": f"Sam lives in Oslo {number}"}, {"output": "I see"}, turn_id=f"turn {number}")


def kept(memory: BaseMemory) -> list[int]:
    """The numbers of the messages that are left."""
    return [entry.seq for entry in memory.entries()]


def answering(reply: str) -> Callable[[list[Message]], str]:
    """A model that always answers the same."""

    def answer(messages: list[Message]) -> str:
        return reply

    return answer


def one_each(message: Message) -> int:
    """Counts one token for each message."""
    return 1


OPTIONS: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"k": 2},
    "summary": {"llm": answering("Sam.")},
    "summary-buffer": {"llm": answering("Sam."), "max_token_limit": 5, "prune_to": 5, "token_counter": one_each},
    "entity": {"llm": answering("Sam: lives in Oslo"), "k": 1},
    "knowledge-graph": {"llm": answering("Sam | lives in | Oslo"), "k": 3},
    "vector-retriever": {},
    "message-window": {"max_messages": 4},
    "token-window": {"max_token_limit": 3, "token_counter": one_each},
    "token-buffer": {"max_token_limit": 4, "token_counter": one_each, "evict": "exchange"},
    "summarizing-window": {"llm": answering("Sam."), "max_messages": 4},
}

LEFT = {
    "buffer": list(range(1, 13)),
    "window": [9, 10, 11, 12],
    "summary": [11, 12],
    "summary-buffer": [8, 9, 10, 11, 12],
    "entity": [11, 12],
    "knowledge-graph": [7, 8, 9, 10, 11, 12],
    "vector-retriever": list(range(1, 13)),
    "message-window": [9, 10, 11, 12],
    "token-window": [10, 11, 12],
    "token-buffer": [9, 10, 11, 12],
    "summarizing-window": [9, 10, 11, 12],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_a_save_deletes_what_is_needed_no_more(name: str) -> None:
    """Without history, each strategy keeps what it still reads, and the newest turn."""
    memory = create_memory(name, keep_history=False, **OPTIONS[name], learn_every=1)
    tell(memory, 6)
    assert kept(memory) == LEFT[name]


@pytest.mark.parametrize("name", OPTIONS)
def test_by_default_nothing_is_deleted(name: str) -> None:
    """Eviction hides, it never deletes (I1)."""
    memory = create_memory(name, **OPTIONS[name], learn_every=1)
    tell(memory, 6)
    assert kept(memory) == list(range(1, 13))


def test_the_newest_turn_can_be_repeated() -> None:
    """A repetition of the newest turn is known for one, though the summary has taken it in (I2)."""
    memory = create_memory("summary", keep_history=False, **OPTIONS["summary"], learn_every=1)
    tell(memory, 3)
    calls = memory.usage.total.calls
    memory.save_context({"input": "Sam lives in Oslo 2"}, {"output": "I see"}, turn_id="turn 2")
    assert kept(memory) == [5, 6]
    assert memory.usage.total.calls == calls


def test_what_is_not_learnt_yet_is_kept() -> None:
    """While the model fails nothing is deleted that it still has to take in."""
    down = create_memory("summary", keep_history=False, llm=answering(""), on_model_error="defer", learn_every=1)
    tell(down, 3)
    assert kept(down) == [1, 2, 3, 4, 5, 6]
    assert "Oslo 0" in str(down.load_memory_variables({}))


@strategy
class Forgetful(BaseMemory):
    """Shows what it learnt last, and says that it needs no message any more."""

    name, learns = "forgetful", True

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """What was learnt."""
        return View.of([], [str(state.items)])

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """The numbers of what was said."""
        return Changes({str(entry.seq): True for entry in entries})

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Nothing of what there is."""
        return 1_000


def test_what_waits_is_kept_whatever_a_strategy_says() -> None:
    """A strategy of one's own that forgets about what it has not learnt from yet loses nothing of it."""
    memory = Forgetful(keep_history=False, learn="later")
    tell(memory, 3)
    assert kept(memory) == [1, 2, 3, 4, 5, 6]
    memory.settle()
    memory.save_context({"input": "hi"}, {"output": "hello"})
    assert kept(memory) == [7, 8]
    assert drive(memory.learners[0].refresh()).items == {str(number): True for number in range(1, 7)}


def test_a_deletion_that_failed_is_made_up_for(caplog: pytest.LogCaptureFixture) -> None:
    """The save succeeds and the log tells why nothing went; the next save deletes what the last one could not."""
    store = WatchedStore()
    memory = create_memory("window", k=1, keep_history=False, store=store)
    store.broken = True
    tell(memory, 3)
    assert kept(memory) == [1, 2, 3, 4, 5, 6]
    assert "were not deleted yet: the disk is full" in caplog.text
    store.broken = False
    memory.add_messages([{"role": "user", "content": "x"}])
    assert kept(memory) == [5, 6, 7]


def test_combined_memories_keep_what_any_member_needs() -> None:
    """The member that looks back furthest decides."""
    members = [("window", {"k": 2}), ("summary", OPTIONS["summary"]), ("entity", OPTIONS["entity"])]
    memory = CombinedMemory(memories=members, keep_history=False, learn_every=1)
    tell(memory, 6)
    assert kept(memory) == LEFT["window"]


def test_a_page_reads_its_own_entries_only() -> None:
    """A page from the middle of a long conversation reads nothing but itself."""
    store = WatchedStore()
    memory = ConversationBufferMemory(store=store)
    memory.add_messages([{"role": "user", "content": str(number)} for number in range(2000)])
    for before, after, newest_first in ((None, 1000, False), (1000, 0, True), (None, 0, True)):
        store.read_entries = 0
        assert len(memory.entries(20, before, after, newest_first=newest_first)) == 20
        assert store.read_entries == 20


def test_entries_tell_when() -> None:
    """An entry's number is its message's id; its time is that of the store."""
    memory = ConversationBufferMemory()
    tell(memory, 1)
    (first, _) = memory.entries()
    assert first.seq == 1
    assert isinstance(first.created_at, datetime)
    assert first.message == memory.history()[0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["message-window", "token-window", "token-buffer", "summarizing-window"])
def test_what_is_deleted_would_not_have_been_shown(name: str, seed: int) -> None:
    """Whatever is said, in whatever order calls have their results, a window shows the same without history."""
    random = Random(seed)  # noqa: S311 - chance that repeats
    chatter = Chatter(random)
    options: dict[str, Any] = {**OPTIONS[name], "on_model_error": "defer"}
    if name in ("message-window", "token-window", "token-buffer"):
        options |= {"evict": random.choice(("message", "exchange")), "oversized": "keep"}
    whole, evicted = (create_memory(name, keep_history=kept, **options, learn_every=1) for kept in (True, False))
    for _ in range(40):
        new = [chatter.message() for _ in range(random.choice((1, 1, 2, 3)))]
        for memory in (whole, evicted):
            memory.add_messages(new)
        assert evicted.messages() == whole.messages()
    assert len(evicted.history()) < len(whole.history())


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
def test_a_turn_that_was_evicted_is_saved_again_for_nothing(name: str, url: str) -> None:
    """Whatever was deleted since, to save an old turn again changes nothing (I2)."""
    with open_store(url) as store:
        memory = create_memory(name, keep_history=False, store=store, **OPTIONS[name], learn_every=1)
        tell(memory, 6)
        before = memory.entries(), memory.usage.total.calls, memory.messages("Sam?")
        tell(memory, 6)
        assert (memory.entries(), memory.usage.total.calls, memory.messages("Sam?")) == before


def test_a_turn_that_was_evicted_in_part_can_be_taken_back() -> None:
    """What is left of it tells the turn again; when that was taken back, it may be said again."""
    memory = create_memory("message-window", max_messages=2, keep_history=False)
    for turn in ("1", "2"):
        memory.save_context({"input": f"hi {turn}"}, {"output": f"hello {turn}"}, turn_id=turn)
    memory.add_messages([{"role": "user", "content": "x"}], turn_id="3")
    for _ in range(2):
        assert [entry.message["content"] for entry in memory.entries()] == ["hello 2", "x"]
        memory.save_context({"input": "hi 2"}, {"output": "hello 2"}, turn_id="2")
    memory.rewind(0)
    for turn in ("1", "2"):
        memory.save_context({"input": f"hi {turn}"}, {"output": f"hello {turn}"}, turn_id=turn)
    assert [entry.message["content"] for entry in memory.entries()] == ["hi 2", "hello 2"]


@pytest.mark.parametrize("name", ["window", "buffer", "message-window"])
def test_a_turn_that_was_forgotten_is_saved_again_for_nothing(name: str) -> None:
    """There is nothing new in it, and so nothing to delete."""
    memory = create_memory(name, keep_history=False, **OPTIONS.get(name, {}), learn_every=1)
    memory.save_context({"input": "hi"}, {"output": "hello"}, turn_id="1")
    memory.forget([1, 2])
    memory.save_context({"input": "hi"}, {"output": "hello"}, turn_id="1")
    assert memory.history() == []


@pytest.mark.parametrize("name", OPTIONS)
def test_an_open_question_is_kept(name: str) -> None:
    """A question that is not answered yet stays, and what tools found for it, whatever else goes."""
    memory = create_memory(name, keep_history=False, **OPTIONS[name], learn_every=1)
    tell(memory, 6)
    memory.add_messages([{"role": "user", "content": "How cold is it?"}])
    for number in range(4):
        call = {"id": f"{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        memory.add_messages(
            [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"{number}", "content": "not yet known"},
            ]
        )
    assert "How cold is it?" in str(memory.history())
    assert str(memory.history()).count("not yet known") == 4
