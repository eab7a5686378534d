"""The limit of a request holds, and what fits is sent."""

from typing import Any

import pytest

from memzoo.errors import OverBudgetError
from memzoo.memories import BaseMemory, Conversation, create_memory
from memzoo.memories.models.chat import ChatModel


def looked_up() -> BaseMemory:
    """A log of three answers that took four tools each, whose calls and results are words for some families."""
    memory = create_memory("buffer", token_counter="approximate")
    for _ in range(3):
        turn: list[Any] = [{"role": "user", "content": "Look it up."}]
        for number in range(4):
            function = {"name": "find", "arguments": "{}"}
            call = {"id": f"c{number}", "type": "function", "function": function}
            turn.append({"role": "assistant", "content": None, "tool_calls": [call]})
            turn.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
        memory.add_messages([*turn, {"role": "assistant", "content": "Done."}])
    return memory


@pytest.mark.parametrize("family", ["any", "no-tools", "llama"])
def test_more_room_shows_no_less(family: str) -> None:
    """Between what must stay and all there is, each larger limit is kept, and sends as much or more."""
    memory, sizes = looked_up(), list[float]()
    for limit in (20, 60, 120, 200, 300, 2000):
        request = memory.request("What next?", system="Be brief.", family=family, max_tokens=limit)
        sizes.append(sum(map(memory.render.counter, request)))
        assert sizes[-1] <= limit
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] < sizes[3]


def test_a_refusal_names_the_limit_that_was_given() -> None:
    """And the size of what must stay, as it would be sent."""
    with pytest.raises(OverBudgetError, match="9 more than the limit of 5"):
        looked_up().request("What next?", system="Be brief.", max_tokens=5)


def test_a_conversation_keeps_what_fits_of_its_memory() -> None:
    """Where calls are told as words, too."""
    sent: list[int] = []

    def answer(messages: list[Any]) -> str:
        sent.append(len(messages))
        return "Fine."

    memory = looked_up()
    for limit in (60, 200):
        Conversation(answer, memory.clone(), family="no-tools", max_tokens=limit).send("What next?")
    assert 1 < sent[0] < sent[1]


def test_tools_and_hidden_words_teach_no_cost_of_a_request() -> None:
    """A conversation that had many tools can go on without them under a small limit."""
    estimate = create_memory(
        "buffer", llm=ChatModel("my-model", base_url="http://127.0.0.1:1/v1")
    ).render.counter.estimate
    assert estimate
    tools = [
        {"type": "function", "function": {"name": f"tool_{number}", "description": "It helps. " * 30}}
        for number in range(30)
    ]
    for _ in range(5):
        estimate.learn([{"role": "user", "content": "Hello there, and good morning."}], tools, 4000)
    assert estimate.factors.base == 3
