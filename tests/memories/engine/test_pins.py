"""Pinned messages: where the mark is kept, over each kind of store."""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memzoo import Conversation
from memzoo.errors import MemoryZooError, MessageError, OptionError, OverBudgetError, StoreError
from memzoo.memories import BaseMemory, create_memory, delete_old
from memzoo.stores import EncryptedStore, InMemoryStore, Message, MessageListStore, Store, open_store
from memzoo.stores.base import utc_now
from memzoo.sync import drive

RULE: Message = {"role": "user", "content": "Never delete the zebra table."}


def message_lists() -> MessageListStore:
    """A store over lists that somebody else keeps."""
    lists: dict[str, list[Message]] = {}
    return MessageListStore(
        get=lambda id_: lists.get(id_, []), update=lists.__setitem__, delete=lambda id_: lists.pop(id_, None)
    )


@pytest.fixture(params=["memory", "sqlite", "encrypted", "message-list", "postgres", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A new store of each kind."""
    file = f"sqlite:///{tmp_path}/memories.db"
    make: dict[str, Callable[[], Any]] = {
        "memory": InMemoryStore,
        "sqlite": lambda: open_store(file),
        "encrypted": lambda: EncryptedStore(open_store(file), EncryptedStore.new_key()),
        "message-list": message_lists,
        "postgres": lambda: open_store(request.getfixturevalue("postgres_server").new_url()),
        "redis": lambda: open_store(request.getfixturevalue("redis_url")),
    }
    with contextlib.closing(make[request.param]()) as made:
        yield made


def opened(store: Store, **options: Any) -> BaseMemory:
    """A memory of one exchange, as another process would have it."""
    return create_memory("window", k=1, store=store, conversation_id="a", **options)


def tell(memory: BaseMemory, count: int) -> None:
    """So many exchanges."""
    for number in range(count):
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})


def one(_: object) -> int:
    """A token counter to which all messages are alike."""
    return 1


def summary(_: object) -> str:
    """A model with one reply."""
    return "Questions."


def failing(*_: Any, **__: Any) -> Any:
    """What a store does that is gone."""
    raise StoreError("the disk is gone")


def test_two_writers_lose_no_pin(store: Store) -> None:
    """Two memories that pin and unpin at the same time lose nothing of each other's (I3)."""
    memories = opened(store), opened(store)
    tell(memories[0], 20)

    def mark(place: int) -> None:
        for number in range(1 + place, 41, 2):
            memories[place].pin(number)
            if number % 4 == 1:
                memories[place].pin(number, off=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(mark, range(2)))
    expected = [number for number in range(1, 41) if number % 4 != 1]
    assert [each.pin() for each in (*memories, opened(store))] == [expected] * 3


def test_is_pinned_as_soon_as_it_is_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the process dies between storing a pinned message and writing the pin down, it is pinned all the same."""
    memory = opened(store)
    tell(memory, 2)
    with monkeypatch.context() as dying:
        dying.setattr(store, "commit", failing)
        with pytest.raises(StoreError):
            memory.add_messages([RULE], turn_id="t", pinned=True)
    later = opened(store)
    assert later.pin() == [5]
    tell(later, 2)
    assert RULE in later.messages()
    later.add_messages([RULE], turn_id="t", pinned=True)
    assert opened(store).pin() == [5]
    later.pin(5, off=True)
    later.add_messages([RULE], turn_id="t", pinned=True)
    assert opened(store).pin() == memory.pin() == []


def test_a_mark_from_elsewhere_is_written_down_in_time(store: Store) -> None:
    """A message that was stored as pinned by a dying process stays pinned when hundreds follow it."""
    memory = opened(store)
    with contextlib.suppress(StoreError), pytest.MonkeyPatch.context() as dying:
        dying.setattr(store, "commit", failing)
        memory.add_messages([RULE], pinned=True)
    assert opened(store).pin() == [1]
    other = opened(store)
    tell(other, 100)
    assert opened(store).pin() == other.pin() == [1]


def test_retention_and_rewinding_unpin(store: Store) -> None:
    """What is too old goes though it is pinned, and so does what is taken back; no mark of it is left."""
    memory = opened(store)
    tell(memory, 2)
    memory.pin([1, 4])
    memory.rewind(3)
    assert memory.pin() == [1]
    if not isinstance(store, MessageListStore):  # which cannot list its conversations
        delete_old(store, older_than=timedelta(days=1), now=utc_now() + timedelta(days=2))
        assert memory.pin() == []
    memory.rewind(0)
    tell(memory, 1)
    assert memory.pin() == []


def test_pinning_in_a_conversation_that_is_cleared_is_refused(store: Store) -> None:
    """Where nothing was said there is nothing to pin."""
    memory = opened(store)
    tell(memory, 1)
    memory.pin(1)
    memory.clear()
    with pytest.raises(MessageError):
        memory.pin(1)
    tell(memory, 1)
    assert memory.pin() == []


def test_what_another_one_pins_while_this_one_learns_is_shown(store: Store) -> None:
    """A memory need not look at the pins again after its own commit, but does after any other's."""
    other, pinning = opened(store), [False, True]

    def slow(messages: list[Message]) -> str:
        if pinning.pop(0):
            other.pin(1)
        return "They talk."

    memory = create_memory("summary", llm=slow, store=store, conversation_id="a", learn_every=1)
    for said in (RULE, {"role": "user", "content": "And now?"}):
        memory.add_messages([said, {"role": "assistant", "content": "ok"}])
    assert RULE in memory.messages()


def test_a_damaged_state_pins_nothing() -> None:
    """Keys that are no numbers, and values that are no marks, as from an edited file, count as nothing."""
    store = InMemoryStore()
    memory = opened(store)
    tell(memory, 2)
    memory.pin(2)
    version = drive(store.read_state("a", "pins")).version
    drive(store.commit("a", "pins", expected=version, watermark=0, changes={"x": True, "1": "yes", "99": True}))
    assert memory.pin() == [2]


LIMITS = [
    ("token-window", {"max_token_limit": 3}, "tokens"),
    ("message-window", {"max_messages": 3}, "messages"),
    ("summarizing-window", {"max_messages": 3}, "messages"),
    ("summary-buffer", {"max_token_limit": 3}, "tokens"),
    ("vector-retriever", {"max_token_limit": 3}, "tokens"),
    ("combined", {"max_token_limit": 3}, "tokens"),
    ("token-window", {"max_token_limit": 3, "rules": "langchain4j"}, "tokens"),
]


@pytest.mark.parametrize("how", [{"pinned": "yes"}, {"pinned": 1}, {"learn": "no"}])
def test_what_is_neither_true_nor_false_is_refused(how: dict[str, Any]) -> None:
    """Nothing is stored, and the option is named."""
    memory = create_memory("buffer")
    with pytest.raises(OptionError, match=f"{next(iter(how))} must be True or False, not"):
        memory.add_messages([RULE], **how)
    assert memory.history() == []


@pytest.mark.parametrize(("name", "options", "unit"), LIMITS, ids=str)
def test_pinned_messages_count_to_the_limit(name: str, options: dict[str, Any], unit: str) -> None:
    """They leave less room for others; alone over the limit, they are an error that says so."""
    memory = create_memory(name, llm=summary, token_counter=one, **options, learn_every=1)
    tell(memory, 5)
    memory.pin(1)
    shown = [entry.seq for entry in memory.messages("q1?").entries if entry]
    assert shown[0] == 1
    assert len(shown) <= 3
    memory.pin([2, 3, 4])
    with pytest.raises(OverBudgetError, match="pinned") as refused:
        memory.messages("q1?")
    assert (refused.value.limit, refused.value.over > 0) == (3, True)
    assert unit in str(refused.value)


def test_the_system_message_stays_before_a_pinned_one_that_is_older() -> None:
    """A window whose messages are sent as they are still begins with the system message."""
    memory = create_memory("message-window", max_messages=3, rules="langchain4j")
    memory.add_messages([RULE, {"role": "assistant", "content": "Never."}])
    memory.pin(1)
    memory.add_messages([{"role": "system", "content": "Be kind."}])
    tell(memory, 3)
    assert [message["content"] for message in memory.messages()][:2] == ["Be kind.", RULE["content"]]


def test_a_pin_makes_a_summary_take_in_what_has_no_room_any_more() -> None:
    """A summary-buffer that was full is within its limit after a pin, in a memory of another process too."""
    options: dict[str, Any] = {"llm": summary, "token_counter": one, "max_token_limit": 6, "prune_to": 6}
    memory = create_memory("summary-buffer", conversation_id="a", **options)
    tell(memory, 5)
    other = create_memory("summary-buffer", store=memory.store, conversation_id="a", **options)
    assert len(other.messages()) == 1 + 6
    memory.pin([1, 2])
    for each in (other, memory):
        shown = [entry.seq for entry in each.messages().entries if entry]
        assert shown[:2] == [1, 2]
        assert len(shown) <= 6


def test_a_conversation_never_leaves_out_what_is_pinned() -> None:
    """A request that is fitted to `max_tokens` has the pinned messages, and an error tells if they do not fit."""
    asked: list[list[Message]] = []

    def model(messages: list[Message]) -> str:
        asked.append(messages)
        return "ok"

    conversation = Conversation(model, max_tokens=8, token_counter=one)
    conversation.memory.add_messages([RULE], pinned=True)
    for number in range(10):
        conversation.send(f"q{number}")
    assert len(asked[-1]) == 7
    assert asked[-1][0] == {"role": "user", "content": f"{RULE['content']}\n\nq6"}
    conversation.memory.pin(range(2, 10))
    with pytest.raises(OverBudgetError, match="pinned messages"):
        conversation.send("more?")


def test_evicted_exchanges_leave_what_is_pinned() -> None:
    """With `evict="exchange"` what is left begins with a user message, behind what is pinned."""
    memory = create_memory("message-window", max_messages=4, evict="exchange", token_counter="approximate")
    tell(memory, 5)
    memory.pin(2)
    assert [entry.seq for entry in memory.messages().entries if entry] == [2, 9, 10]


def test_a_strategy_of_ones_own_is_given_the_pins() -> None:
    """A plugin that knows nothing of pins shows them; one that has a limit asks how much room they leave."""
    from memzoo.strategy import BaseMemory as Base
    from memzoo.strategy import Log, State, View, strategy

    @strategy
    class Last(Base):
        """Shows the last message."""

        name = "last"
        max_token_limit: int = 2

        async def view(self, log: Log, state: State, query: str | None) -> View:
            """The last one, if there is room."""
            room = self.log.pins.room(self.max_token_limit, self.render.tokens)
            return View.of(await log.tail(min(room, 1)))

    memory = Last(token_counter=one)
    tell(memory, 3)
    memory.pin(1)
    assert [entry.seq for entry in memory.messages().entries if entry] == [1, 6]
    memory.pin(2)
    assert [entry.seq for entry in memory.messages().entries if entry] == [1, 2]
    memory.pin(3)
    with pytest.raises(MemoryZooError, match="the pinned messages together take 3 tokens"):
        memory.messages()


def test_loads_without_pins_read_no_state(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is pinned is read once, and again when a state has changed; the read of the log tells that (I12)."""
    memory, other = opened(store), opened(store)
    tell(memory, 2)
    memory.load_memory_variables({})
    reads: list[str] = []
    read_state = store.read_state

    async def counted(id_: str, name: str, *, since: int = 0) -> Any:
        reads.append(name)
        return await read_state(id_, name, since=since)

    monkeypatch.setattr(store, "read_state", counted)
    memory.load_memory_variables({})
    tell(memory, 2)
    memory.load_memory_variables({})
    assert reads == []
    other.pin(1)
    reads.clear()
    assert memory.messages()[0]["content"] == "q0"
    assert memory.pin() == [1]
    assert reads == ["pins"]
