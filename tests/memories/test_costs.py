"""What a turn costs, however long the conversation: reads, function calls, tokenisations and model calls."""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import (
    STRATEGIES,
    BaseMemory,
    ConversationSummaryBufferMemory,
    create_memory,
)
from memzoo.stores import Entries, InMemoryStore, Message, Store, open_store
from memzoo.testing import ScriptedModel

Make = Callable[..., BaseMemory]

BOUNDED = ["window", "summary", "summary-buffer", "entity", "vector-retriever", "knowledge-graph"]
DERIVE_NOTHING = ["buffer", "window"]
# With options of the longest views.
SHOW_ALL: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"k": 10_000},
    "token-window": {"max_token_limit": 100_000},
    "message-window": {"max_messages": 10_000},
    "summary-buffer": {"max_token_limit": 100_000},
}

# To find a number among ten times as many takes a few steps more; to touch each message would take 1,800 more.
FEW = 50


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


class Watched:
    """Counts what is asked of a store.

    Attributes:
        store: The store.
        calls: How often each verb was called, by name.
        entries: How many entries `read` returned.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: Counter[str] = Counter()
        self.entries = 0
        for verb in ("append", "read", "read_state", "commit", "embeddings", "lease", "release"):
            if hasattr(store, verb):
                setattr(store, verb, self._counted(verb, getattr(store, verb)))

    def reset(self) -> None:
        """Count from nothing."""
        self.calls.clear()
        self.entries = 0

    def _counted(self, verb: str, call: Callable[..., Any]) -> Callable[..., Any]:
        async def counted(*arguments: Any, **options: Any) -> Any:
            self.calls[verb] += 1
            result = await call(*arguments, **options)
            if verb == "read":
                self.entries += len(result)
            return result

        return counted


@pytest.fixture(params=["memory://", "sqlite:///{}"])
def watched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    """A store in memory, and one on SQLite."""
    store = open_store(request.param.format(tmp_path / "memories.db"))
    yield Watched(store)
    store.close()


def take_turns(memory: BaseMemory, first: int, last: int) -> None:
    """Load and save, as a chatbot does."""
    for number in range(first, last):
        said = f"Sam likes tea{number}"
        memory.load_memory_variables({"input": said})
        memory.save_context({"input": said}, {"output": f"Good for Sam {number}"})


def count_calls(work: Callable[[], object]) -> int:
    """The functions that are called, of Python and of C: what is done for each message grows with the messages."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    gc.disable()  # What is collected, and when, depends on the tests before.
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls


def calls_by_length(name: str, work: Callable[[BaseMemory], object], **options: Any) -> list[int]:
    """The calls that a piece of work takes after 100 and after 1,000 exchanges."""
    memory, found = create_memory(name, **options), list[int]()
    for length in (100, 900):
        memory.add_messages([{"role": role, "content": "tea"} for role in ("user", "assistant")] * length)
        for _ in range(3):
            work(memory)
        found.append(count_calls(lambda: work(memory)))
    return found


def save(memory: BaseMemory) -> None:
    """Save an exchange."""
    memory.save_context({"input": "Sam likes tea"}, {"output": "Good for Sam"})


def load(memory: BaseMemory) -> str:
    """Load as text."""
    return memory.load_memory_variables({"input": "Does Sam like cake?"})["history"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_load_asks_the_store_once_for_what_is_new(name: str, watched: Watched, make: Make) -> None:
    """Where nothing was said, one read finds nothing; the state and the pins are looked at once each (I12)."""
    memory = make(name, watched.store)
    take_turns(memory, 0, 10)
    load(memory)
    watched.reset()
    load(memory)
    assert watched.calls["read"] == 1
    assert watched.entries == 0
    assert watched.calls["read_state"] <= 2
    assert set(watched.calls) <= {"read", "read_state"}


@pytest.mark.parametrize("name", ["buffer", *BOUNDED])
def test_a_turn_goes_to_the_store_few_times(name: str, watched: Watched, make: Make) -> None:
    """A save that learns goes there three times, five times where processes share it; the load after it, twice (I12).

    A search by embeddings reads those that are new, too.
    """
    memory = make(name, watched.store)
    take_turns(memory, 0, 5)
    watched.reset()
    save(memory)
    learning = ["read_state", "commit", *([] if isinstance(watched.store, InMemoryStore) else ["lease", "release"])]
    assert watched.calls == Counter(["append", *([] if name in DERIVE_NOTHING else learning)])
    watched.reset()
    load(memory)
    looking = {"buffer": [], "window": [], "vector-retriever": ["read_state", "embeddings"]}.get(name, ["read_state"])
    assert watched.calls == Counter(["read", *looking])


@pytest.mark.parametrize("name", ["summary", *sorted(set(STRATEGIES) - {"summary"})])
def test_a_load_reads_what_others_saved_and_nothing_else(name: str, watched: Watched, make: Make) -> None:
    """An exchange that another memory saved is two entries to read, however much was said before (I12)."""
    memory, other = make(name, watched.store), create_memory("buffer", store=watched.store, conversation_id="a")
    take_turns(memory, 0, 10)
    load(memory)
    other.save_context({"input": "Sam likes cake"}, {"output": "Who does not"})
    watched.reset()
    assert "cake" in load(memory)
    assert watched.entries == 2


@pytest.mark.parametrize("name", DERIVE_NOTHING)
def test_a_save_reads_nothing(name: str, watched: Watched) -> None:
    """A strategy that derives nothing appends and is done (I12)."""
    memory = create_memory(name, store=watched.store)
    take_turns(memory, 0, 5)
    watched.reset()
    save(memory)
    assert watched.calls == {"append": 1}


@pytest.mark.parametrize("name", SHOW_ALL)
def test_a_load_does_nothing_for_messages_that_were_shown_before(name: str) -> None:
    """A load after 1,000 exchanges makes no more calls than after 100: what was rendered and counted is kept (I12)."""
    short, long = calls_by_length(name, load, **SHOW_ALL[name])
    assert 0 < long < short + FEW


@pytest.mark.parametrize("name", SHOW_ALL)
def test_a_turn_does_nothing_for_messages_that_were_shown_before(name: str) -> None:
    """To save and to load after 1,000 exchanges makes no more calls than after 100: only the new is rendered (I12)."""

    def turn(memory: BaseMemory) -> None:
        save(memory)
        load(memory)

    short, long = calls_by_length(name, turn, **SHOW_ALL[name])
    assert 0 < long < short + FEW


@pytest.mark.parametrize("name", DERIVE_NOTHING)
def test_a_save_costs_the_same_in_a_longer_conversation(name: str) -> None:
    """A save makes no more calls after 1,000 exchanges than after 100 (I10)."""
    short, long = calls_by_length(name, save)
    assert 0 < long < short + FEW


class CountedTokens:
    """A token counter that keeps what it was asked: ten tokens for each message."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, message: Message) -> int:
        """Count a message."""
        self.asked[str(message["content"])] += 1
        return 10


def model(_: object) -> str:
    """A model with one reply."""
    return "Sam likes tea."


BY_TOKENS: dict[str, dict[str, Any]] = {
    "token-window": {"max_token_limit": 100},
    "summary-buffer": {"max_token_limit": 100, "llm": model},
    "vector-retriever": {"max_token_limit": 100},
}


@pytest.mark.parametrize("name", BY_TOKENS)
def test_each_message_is_tokenised_once(name: str) -> None:
    """However often it is loaded, and however long it is shown (I10)."""
    counter = CountedTokens()
    memory = create_memory(name, token_counter=counter, **BY_TOKENS[name])
    take_turns(memory, 0, 40)
    load(memory)
    assert len(counter.asked) >= 40
    assert set(counter.asked.values()) == {1}


@pytest.mark.parametrize("step", [0, 5])
def test_opening_a_long_conversation_counts_and_reads_what_is_shown(step: int, watched: Watched) -> None:
    """Of 1,000 messages that it stored, a memory of ten tokens reads and counts some dozens, not all (I10, I12)."""
    said: list[Message] = [{"role": "user", "content": f"{number}"} for number in range(1000)]
    create_memory("token-window", store=watched.store, conversation_id="a", token_counter=len).add_messages(said)
    watched.reset()
    counter = CountedTokens()
    options = {"store": watched.store, "conversation_id": "a", "token_counter": counter, "step": step}
    memory = create_memory("token-window", **options, **BY_TOKENS["token-window"])
    assert "999" in load(memory)
    assert counter.asked.total() <= 50
    assert watched.entries <= 100


def test_a_full_summary_buffer_asks_seldom() -> None:
    """By default, 40 exchanges of 100 tokens beyond a limit of 2,000 cost at most five model calls (I11)."""
    memory = ConversationSummaryBufferMemory(llm=model, max_token_limit=2000, token_counter=lambda _: 50)
    while not memory.usage.total.calls:
        save(memory)
    before = memory.usage.total.calls
    for _ in range(40):
        save(memory)
    assert 1 <= memory.usage.total.calls - before <= 5


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
    assert reads[1] == reads[2]


@pytest.mark.parametrize("name", BOUNDED)
def test_a_turn_asks_a_model_as_often_in_a_longer_conversation(name: str, make: Make) -> None:
    """A turn makes two model calls at most, the fiftieth as the tenth (I11, C3)."""
    memory = make(name)
    take_turns(memory, 0, 10)
    before = memory.usage.total.calls
    take_turns(memory, 10, 20)
    after = memory.usage.total.calls
    take_turns(memory, 20, 50)
    assert (after - before) / 10 <= 2
    assert memory.usage.total.calls - after == 3 * (after - before)


def test_a_state_is_not_read_again() -> None:
    """A memory reads from the store only what changed since it looked last, not its whole state (I10)."""

    class Watching(InMemoryStore):
        read_items = 0

        async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> Any:
            update = await super().read_state(conversation_id, strategy, since=since)
            Watching.read_items += len(update.changes)
            return update

    facts = [f"Sam{number} | likes | tea" for number in range(30)]
    memory = create_memory("knowledge-graph", llm=ScriptedModel(*facts), store=Watching(), learn_every=1)
    for number in range(30):
        memory.save_context({"input": f"{number}"}, {"output": "ok"})
    assert Watching.read_items == 0
