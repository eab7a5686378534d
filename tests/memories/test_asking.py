"""A question that is saved before it is answered, as LlamaIndex saves it: what is shown with it."""

from typing import Any

import pytest

from memzoo.memories import STRATEGIES, ConversationBufferWindowMemory, VectorStoreRetrieverMemory, create_memory
from memzoo.memories.strategies.named import further_names
from memzoo.stores import Message

ASKED: Message = {"role": "user", "content": "Where does my sister Anna live?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
MEMBERS: dict[str, Any] = {"memories": ["window", "vector-retriever"]}


@pytest.mark.parametrize("options", [{"k": 1}, {}])
def test_the_retriever_does_not_find_the_question(options: dict[str, Any]) -> None:
    """What fits a question is found before the question itself, which is shown once."""
    memory = VectorStoreRetrieverMemory(**options)
    memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Noted."})
    memory.add_messages([ASKED])
    for query in (None, ASKED["content"]):
        found, asked = memory.messages(query)
        assert "lives in Oslo" in found["content"]
        assert "Where" not in found["content"]
        assert asked == ASKED
    assert "Where" not in memory.load_memory_variables({"input": ASKED["content"]})["history"]


def test_the_retriever_does_not_find_its_tool_calls_either() -> None:
    """As long as a question is not answered, what its tools said is shown as it is, and not found besides."""
    memory = VectorStoreRetrieverMemory(k=1)
    memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Noted."})
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "Where my sister Anna lives: Bergen"}
    memory.add_messages([ASKED, {"role": "assistant", "content": None, "tool_calls": [CALL]}, result])
    shown = memory.messages()
    assert "lives in Oslo" in shown[0]["content"]
    assert [message["role"] for message in shown] == ["user", "user", "assistant", "tool"]


def test_the_window_shows_an_exchange_besides_the_question() -> None:
    """A question that waits for its answer takes no place among `k`."""
    memory = ConversationBufferWindowMemory(k=1)
    memory.save_context({"input": "q0"}, {"output": "a0"})
    memory.save_context({"input": "q1"}, {"output": "a1"})
    memory.add_messages([ASKED])
    assert [message["content"] for message in memory.messages()] == ["q1", "a1", ASKED["content"]]


@pytest.mark.parametrize("name", [*STRATEGIES, *further_names()])
def test_every_strategy_shows_the_question_once_and_last(name: str) -> None:
    """Whoever puts before it gets sees the question at the end, and nowhere else."""
    members: dict[str, Any] = MEMBERS if name == "combined" else {}
    memory = create_memory(name, **members, learn_every=1)
    memory.save_context({"input": "My sister Anna lives in Oslo."}, {"output": "Noted."})
    memory.add_messages([ASKED])
    shown = memory.messages()
    assert shown[-1] == ASKED
    assert not [message for message in shown[:-1] if "Where" in message["content"]]
