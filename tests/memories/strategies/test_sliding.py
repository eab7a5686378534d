"""What a window keeps from one load to the next is what it would choose anew."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OverBudgetError
from memzoo.memories import TokenWindowMemory
from memzoo.memories.engine.log import CachedLog, Log
from memzoo.memories.strategies.windows import SlidingWindow
from memzoo.stores import Entry, InMemoryStore, Message, Record
from memzoo.sync import drive

CALL: Message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {}}]}
RESULT: Message = {"role": "tool", "tool_call_id": "c", "content": "xx"}
SYSTEM: Message = {"role": "system", "content": "xxx"}


def characters(message: Message) -> int:
    """A token counter."""
    return len(message["content"] or "x")


def plain(role: str, size: int) -> Message:
    """A message of so many characters."""
    return {"role": role, "content": "x" * size}


said: some.SearchStrategy[Message] = some.one_of(
    some.builds(plain, some.sampled_from(["user", "assistant"]), some.integers(1, 6)),
    some.sampled_from([CALL, RESULT, SYSTEM]),
)
steps = some.lists(some.tuples(some.lists(said, min_size=1, max_size=4), some.booleans()), min_size=1, max_size=12)


def shown(memory: TokenWindowMemory) -> list[Message] | str:
    """What it shows, or that it cannot."""
    try:
        return memory.messages()
    except OverBudgetError as error:
        return str(error)


@given(steps, some.integers(1, 20))
def test_a_window_that_slides_shows_what_a_new_one_shows(turns: list[tuple[list[Message], bool]], limit: int) -> None:
    """Whatever is said and forgotten between loads, a memory that kept its window and a fresh one agree (I12)."""
    options: dict[str, Any] = {"store": InMemoryStore(), "conversation_id": "a", "token_counter": characters}
    memory = TokenWindowMemory(max_token_limit=limit, **options)
    for messages, forgets in turns:
        memory.add_messages(messages)
        shown(memory)
        if forgets and len(numbers := [entry.seq for entry in memory.entries()]) > 1:
            memory.forget(numbers[-2:-1])
        assert shown(memory) == shown(TokenWindowMemory(max_token_limit=limit, **options))


def test_a_window_keeps_no_state_of_its_own() -> None:
    """It learns nothing: beside the log is only what all strategies share, that no system message holds so far."""
    store = InMemoryStore()
    options: dict[str, Any] = {"store": store, "conversation_id": "a", "token_counter": characters}
    memory = TokenWindowMemory(max_token_limit=20, **options)
    for _ in range(100):
        memory.add_messages([plain("user", 3), plain("assistant", 3)])
    assert len(TokenWindowMemory(max_token_limit=20, **options).messages()) == 6
    assert drive(store.states("a")) == ["system-message"]
    assert drive(store.read_state("a", "system-message")).changes == {}


def test_a_load_weighs_what_is_new_and_what_goes() -> None:
    """A window that slides costs what changed; with another limit all is weighed again, and not more than is needed."""
    store, weighed = InMemoryStore(), list[int]()
    log = Log(CachedLog(store, "a"))

    def weight(entry: Entry) -> int:
        weighed.append(entry.seq)
        return 1

    def costs(limit: int) -> list[int]:
        weighed.clear()
        drive(log.refreshed())
        fitting = drive(sliding.fit(log, limit))
        assert fitting is not None
        shown, spare = fitting
        assert spare == 0
        assert [entry.seq for entry in shown] == [*range(said - limit + 1, said + 1)]
        return sorted(weighed)

    sliding = SlidingWindow(weight, str)
    said = 100
    drive(store.append("a", [Record(plain("user", 1)) for _ in range(said)], turn_id="t"))
    assert len(costs(10)) < 100
    assert costs(10) == []
    said += 2
    drive(store.append("a", [Record(plain("user", 1)) for _ in range(2)], turn_id="u"))
    assert costs(10) == [91, 92, 101, 102]
    assert len(costs(40)) >= 40


def test_messages_without_a_token_are_shown_with_what_fits_exactly() -> None:
    """However many of them there are."""
    memory = TokenWindowMemory(max_token_limit=32, token_counter=lambda message: len(message["content"].strip()))
    memory.add_messages([plain("user", 1), *[{"role": "user", "content": " "}] * 20])
    memory.add_messages([plain("user", 1)] * 32)
    assert len(memory.messages()) == 52
