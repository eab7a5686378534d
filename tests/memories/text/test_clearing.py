"""Old results of tools are lines in what is shown and learnt from; the log keeps all."""

from typing import Any

import pytest

from memzoo import trim_messages
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of
from tests.conversations import call, result, said

LONG = "the zebra table has many rows " * 20


def look_up(memory: BaseMemory, first: int, last: int) -> None:
    """So many exchanges in which a tool is called."""
    for number in range(first, last):
        asked, found = said("user", f"What of {number}?"), result(f"c{number}", f"{number}: {LONG}")
        memory.add_messages([asked, call(f"c{number}"), found, said("assistant", f"It is {number}.")])


def made(name: str = "buffer", store: InMemoryStore | None = None, **option: Any) -> BaseMemory:
    """A memory that clears."""
    options: dict[str, Any] = {"max_token_limit": 2000} if name == "summary-buffer" else {}
    return create_memory(
        name,
        llm="offline",
        store=store or InMemoryStore(),
        conversation_id="a",
        token_counter="approximate",
        clear_tool_results=option,
        **options,
    )


def whole(memory: BaseMemory) -> list[int]:
    """The numbers of the results that are shown as they were, by their texts."""
    shown = [text_of(message) for message in memory.messages("What?") if message["role"] == "tool"]
    return [int(text.split(":")[0]) for text in shown if text.endswith(LONG)]


@pytest.mark.parametrize("name", STRATEGIES)
def test_old_results_are_lines_in_every_strategy(name: str) -> None:
    """No more results than are to stay are shown whole, or told in a text; the log has all."""
    memory = made(name, keep=2, step=1)
    look_up(memory, 0, 8)
    shown = f"{memory.messages('zebra table 3?')} {memory.load_memory_variables({'input': 'zebra table 3?'})}"
    assert all(f"{number}: {LONG}" not in shown for number in range(6))
    assert set(whole(memory)) <= {6, 7}
    assert memory.history()[2]["content"] == f"0: {LONG}"


def test_what_is_cleared_stays_so() -> None:
    """Whoever goes on after an answer without a new question does not bring old results back."""
    memory = made(keep=0, step=1)
    look_up(memory, 0, 2)
    assert whole(memory) == []
    memory.add_messages([call("c2"), result("c2", f"2: {LONG}")])
    assert whole(memory) == [2]


def test_a_result_that_is_left_out_may_come_back_as_a_line() -> None:
    """Before it has, nothing is promised that stands behind it then."""
    option = {"keep": 0, "step": 1}
    memory = create_memory(
        "token-window", max_token_limit=90, step=60, token_counter="approximate", clear_tool_results=option
    )
    memory.add_messages([call("c0"), said("user", "Hello?"), said("assistant", "Hi")])
    memory.add_messages([result("c0", LONG)])
    before = memory.messages()
    memory.add_messages([said("assistant", "Done")])
    now = memory.messages()
    assert [one["role"] for one in before] == ["user", "assistant"]
    assert now[0]["role"] == "assistant"
    assert now[: before.stable_upto] == before[: before.stable_upto]


def test_where_no_tool_has_spoken_all_is_promised() -> None:
    """The option costs nothing then: what is shown stays as it is."""
    memory = made()
    memory.save_context({"input": "hi"}, {"output": "hello"})
    assert memory.messages().stable_upto == 2


def test_says_what_was_there() -> None:
    """The line names the tool, and says how long its result was."""
    memory = made(keep=1, step=1)
    look_up(memory, 0, 3)
    lines = [message["content"] for message in memory.messages() if message["role"] == "tool"]
    assert lines[0] == "[look_up gave 603 characters, which are not shown any more]"
    assert whole(memory) == [2]


def test_moves_in_steps() -> None:
    """At most turns all that was shown before is shown again as it was, and then what is new."""
    memory, before, moved = made(keep=2, step=12), list[Message](), 0
    for number in range(24):
        look_up(memory, number, number + 1)
        shown = memory.messages()
        moved += shown[: len(before)] != before
        before = shown
        assert 2 <= len(whole(memory)) <= 2 + 12 // 4 or number < 2
    assert moved == 24 * 4 // 12 - 1


def test_shows_the_same_after_a_restart() -> None:
    """What is cleared follows from the log, however much of it a process holds."""
    store = InMemoryStore()
    memory = made("token-window", store, keep=3, step=5)
    for number in range(60):
        look_up(memory, number, number + 1)
        assert made("token-window", store, keep=3, step=5).messages() == memory.messages()


def test_the_open_question_keeps_all_its_results() -> None:
    """A model that has called tools is given what they said, even if none is to be kept."""
    memory = made(keep=0, step=1)
    look_up(memory, 0, 2)
    memory.add_messages([said("user"), call("x", "y"), result("x", f"8: {LONG}"), result("y", f"9: {LONG}")])
    assert whole(memory) == [8, 9]
    memory.add_messages([said("assistant", "Both.")])
    assert whole(memory) == []


def test_leaves_out_what_it_is_told_to() -> None:
    """Results of excluded tools, short ones, those of few tokens and pinned ones stay."""
    for memory in (made(keep=0, step=1, exclude=["look_up"]), made(keep=0, step=1, over=10_000)):
        look_up(memory, 0, 2)
        assert whole(memory) == [0, 1]
    memory = made(keep=0, step=1)
    look_up(memory, 0, 2)
    memory.add_messages([call("z"), result("z", "short"), said("assistant")])
    memory.pin(2)
    assert whole(memory) == [0]
    assert result("z", "short") in memory.messages()


def test_limits_count_what_is_shown() -> None:
    """A window of so many tokens shows more messages where old results are lines."""
    memory, plain = made("token-window", keep=1, step=1), create_memory("token-window", token_counter="approximate")
    for one in (memory, plain):
        look_up(one, 0, 40)
    assert len(memory.messages()) > 2 * len(plain.messages())
    assert sum(map(memory.render.counter, memory.messages())) <= 2000


def test_nothing_is_learnt_from_cleared_results() -> None:
    """A summary is made of calls and answers; what is learnt anew is the same."""
    asked: list[str] = []

    def model(messages: Any) -> str:
        asked.append(str(messages))
        return "Sam looked things up."

    memory = create_memory("summary", llm=model, clear_tool_results={"keep": 1}, conversation_id="a", learn_every=1)
    look_up(memory, 0, 3)
    assert len(asked) == 3
    assert all("look_up gave 603 characters" in prompt and LONG not in prompt for prompt in asked)
    before = asked.copy()
    memory.relearn()
    assert LONG not in str(asked[len(before) :])


def test_finds_what_is_cleared() -> None:
    """A search goes by the words of the log: an old result is found, and shown as a line."""
    memory = made("vector-retriever", keep=0, step=1)
    memory.add_messages([said("user"), call("a"), result("a", f"okapi {LONG}"), said("assistant", "Well.")])
    assert "look_up gave" in str(memory.messages("Where is the okapi?"))


def test_trimming_clears_first() -> None:
    """A list that is trimmed has its old results as lines, and so room for more."""
    memory = create_memory("buffer")
    look_up(memory, 0, 5)
    trimmed = trim_messages(memory.history(), 400, "approximate", clear_tool_results={"keep": 1, "step": 1})
    assert len(trimmed) > 8
    assert sum(LONG in str(message) for message in trimmed) == 1
    assert trim_messages([], 10, len, clear_tool_results={"keep": 1}) == []
