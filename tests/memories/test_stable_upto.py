"""How far what is shown stays as it is: what was promised is shown again, byte for byte."""

from typing import Any

import pytest

from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.strategies.windows import WindowMemory
from memzoo.memories.text.view import Shown
from memzoo.stores import InMemoryStore, Message
from tests.conversations import always, call, result, said

STILL: dict[str, dict[str, Any]] = {
    "buffer": {},
    "window": {"k": 3, "step": 4},
    "message-window": {"max_messages": 6, "step": 8},
    "token-window": {"max_token_limit": 300, "step": 200},
    "summary-buffer": {"max_token_limit": 300, "llm": always("They talk.")},
    "summary": {"learn_every": 5, "llm": always("They talk.")},
    "summarizing-window": {"max_messages": 9, "llm": always("They talk.")},
    "combined": {"memories": ["vector-retriever", ("window", {"k": 3, "step": 4})], "recalled_place": "after"},
}


def words(message: Message) -> int:
    """A token counter: a token for each word."""
    return len(str(message["content"]).split())


def opened(name: str, **options: Any) -> BaseMemory:
    """A memory that counts words."""
    return create_memory(name, token_counter=words, **options)


@pytest.mark.parametrize("name", STILL)
def test_what_is_promised_is_shown_again(name: str) -> None:
    """Over 40 exchanges of one size, whatever `stable_upto` says holds at the next turn; it is much, as a rule."""
    memory, before, kept = opened(name, **STILL[name]), Shown(), 0
    memory.add_messages([said("system", "Be brief.")])
    for number in range(40):
        memory.add_messages([said("user", f"question {number}"), said("assistant", "word " * 20)])
        now = memory.messages("question 1")
        assert now[: before.stable_upto] == before[: before.stable_upto]
        kept += now.stable_upto >= 2
        before = now
    assert kept >= 18, kept


@pytest.mark.parametrize("name", ["window", "message-window", "token-window", "vector-retriever", "knowledge-graph"])
def test_a_view_that_moves_promises_the_system_message(name: str) -> None:
    """What goes or changes at each turn is not promised."""
    options: dict[str, Any] = {"llm": always("They | talk | now")} if name == "knowledge-graph" else {}
    limits: dict[str, dict[str, Any]] = {
        "window": {"k": 2},
        "message-window": {"max_messages": 4},
        "token-window": {"max_token_limit": 40},
    }
    memory = opened(name, **limits.get(name, {}), **options)
    memory.add_messages([said("system", "Be brief.")])
    for number in range(9):
        memory.add_messages([said("user", f"question {number}"), said("assistant", "word " * 8)])
    assert memory.messages("They?").stable_upto == 1


@pytest.mark.parametrize("name", ["buffer", "message-window"])
def test_a_call_that_waits_is_the_end(name: str) -> None:
    """It comes back with its results, and what follows it moves."""
    memory = opened(name, **STILL[name])
    memory.add_messages([said("user", "Weather?"), call("a"), said("user", "Hello?"), said("assistant", "Hi")])
    before = memory.messages()
    memory.add_messages([result("a"), said("assistant", "Sunny")])
    now = memory.messages()
    assert before.stable_upto <= 1
    assert now[: before.stable_upto] == before[: before.stable_upto]


def test_a_pinned_call_that_waits_is_the_end() -> None:
    """With its result it comes back where it was said; a summary may have taken in what stood there."""
    memory = opened("summary", learn_every=3, llm=always("They talk."))
    memory.add_messages([said("user", "Weather?"), call("a")], pinned=True)
    for number in range(6):
        memory.add_messages([said("user", f"question {number}"), said("assistant", "Hi")])
    before = memory.messages()
    memory.add_messages([result("a")])
    assert memory.messages()[: before.stable_upto] == before[: before.stable_upto]
    assert before.stable_upto == 0
    assert memory.messages().stable_upto > 0


def test_a_call_behind_the_summary_comes_back_too() -> None:
    """What the open question led to is shown whole, also a call that the summary had taken in, with its late result."""
    place: dict[str, Any] = {"store": InMemoryStore(), "conversation_id": "a", "llm": always("They talk.")}
    first = opened("summary-buffer", max_token_limit=4, prune_to=4, **place)
    first.add_messages([said("user", "Weather?")], pinned=True)
    first.add_messages([call("a"), said("assistant", "one two three")])
    memory = opened("summary-buffer", max_token_limit=50, **place)
    memory.add_messages([call("b"), result("b")])
    before = memory.messages()
    memory.add_messages([result("a")])
    now = memory.messages()
    assert [one["role"] for one in now].count("tool") == [one["role"] for one in before].count("tool") + 1
    assert now[: before.stable_upto] == before[: before.stable_upto]


@pytest.mark.parametrize("step", [0, 1])
def test_a_call_after_an_answer_brings_no_exchange_back(step: int) -> None:
    """The exchange counts as before, though it is not answered to the end any more."""
    memory = opened("window", k=2, step=step)
    for number in range(5):
        memory.add_messages([said("user", f"question {number}"), said("assistant", "Hi")])
        before = memory.messages()
        memory.add_messages([call(f"c{number}"), result(f"c{number}")])
        assert memory.messages()[: len(before)] == before


def test_texts_that_may_come_push_back_what_is_promised() -> None:
    """The first note comes before the messages: these are promised only where it comes behind them."""
    promised: list[int] = []
    for place in ("before", "after"):
        memory = opened("entity", k=2, step=9, llm=always("Sam: Sam likes tea."), recalled_place=place, learn_every=1)
        memory.add_messages([said("system", "Be brief."), said("user", "Hi"), said("assistant", "Hello")], learn=False)
        before = memory.messages("Sam?", catch_up=False)
        memory.add_messages([said("user", "Sam likes tea"), said("assistant", "So he does")])
        now = memory.messages("Sam?")
        assert now[: before.stable_upto] == before[: before.stable_upto]
        promised.append(now.stable_upto)
    assert promised == [1, 5]


@pytest.mark.parametrize("first", [1, 2, 3])
def test_a_window_may_come_to_begin_at_what_is_added(first: int) -> None:
    """A step beyond the limit: as much as has to be shown is soon added, by short messages most of all."""
    memory = opened("token-window", max_token_limit=20, step=30)
    memory.add_messages([said("user", "one two three four")] * first)
    for _ in range(12):
        before = memory.messages()
        memory.add_messages([result("nobody"), said("user", "one two three four")])
        assert memory.messages()[: before.stable_upto] == before[: before.stable_upto]


def test_a_question_over_the_limit_stays_only_while_it_is_the_newest() -> None:
    """It is kept although the window would begin behind it: nothing is promised."""
    memory = opened("token-window", max_token_limit=21, step=1, oversized="keep")
    for message in (said("user", "word " * 42), said("system", "Be brief.")):
        memory.add_messages([message])
    shown = memory.messages()
    assert ([message["role"] for message in shown], shown.stable_upto, shown.room) == (["system", "user"], 1, 0)


@pytest.mark.parametrize(("name", "room"), [("message-window", 3), ("token-window", 32)])
def test_what_a_window_was_set_to_stays_in_steps_too(name: str, room: int) -> None:
    """What `set_messages` gave has numbers of the log, at which the window begins."""
    limits: dict[str, Any] = {"max_messages": 3, "step": 5} if name == "message-window" else {"max_token_limit": 90}
    memory = create_memory(name, token_counter=words, **limits | {"step": limits.get("step", 60)})
    memory.add_messages([said("assistant", "Hello")] * 3)
    assert isinstance(memory, WindowMemory)
    memory.set_messages([said("user", "Hi")])
    shown = memory.messages()
    assert (shown.stable_upto, shown.room) == (1, room)
    memory.add_messages([said("assistant", "Hello")] * room)
    assert memory.messages()[:1] == shown


def test_what_is_left_out_for_few_tokens_is_not_promised() -> None:
    """`max_tokens` leaves out more at each turn."""
    memory = opened("buffer")
    memory.add_messages([said("system", "Be brief."), said("user", "Hi"), said("assistant", "Hello")])
    assert memory.messages().stable_upto == 3
    assert memory.messages(max_tokens=20).stable_upto == 1


def test_the_room_is_in_the_unit_of_the_limit() -> None:
    """As many exchanges, messages or tokens may come as it says; any number where nothing ever goes."""
    rooms: list[int | None] = []
    for name in ("buffer", "window", "message-window", "token-window"):
        memory = opened(name, **STILL[name])
        for number in range(2):
            memory.add_messages([said("user", f"question {number}"), said("assistant", "word " * 20)])
        rooms.append(memory.messages().room)
    assert rooms == [None, 2, 10, 109]
