"""`chat_memory`: the log with the methods that LangChain users know."""

import operator
from collections.abc import Callable

import pytest

from memzoo.errors import MessageError
from memzoo.memories import STRATEGIES, ConversationBufferMemory, ConversationSummaryMemory, create_memory
from memzoo.memories.engine.chat_history import LogHistory
from memzoo.testing import ScriptedModel


def test_adds_what_was_said() -> None:
    """Each method adds messages to the log, in order (reference 2.3)."""
    history = ConversationBufferMemory().chat_memory
    history.add_user_message("a")
    history.add_ai_message("b")
    history.add_message({"role": "system", "content": "c"})
    history.add_messages([{"role": "user", "content": "d"}, {"role": "assistant", "content": "e"}])
    assert [(message["role"], message["content"]) for message in history.messages] == [
        ("user", "a"),
        ("assistant", "b"),
        ("system", "c"),
        ("user", "d"),
        ("assistant", "e"),
    ]


def test_has_all_messages_whatever_is_shown() -> None:
    """The log is everything, also for a strategy that shows a part (I1)."""
    memory = create_memory("window", k=0)
    memory.save_context({"input": "a"}, {"output": "b"})
    assert memory.chat_memory.messages == memory.history()
    assert len(memory.chat_memory.messages) == 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_one(name: str) -> None:
    """All strategies have a `chat_memory`, empty at first."""
    history = create_memory(name).chat_memory
    assert isinstance(history, LogHistory)
    assert history.messages == []


def test_is_learnt_from() -> None:
    """What is added is summarised like what is saved, so that nothing is out of sight (F2)."""
    memory = ConversationSummaryMemory(llm=ScriptedModel("Sam greets."))
    memory.chat_memory.add_user_message("Hi, I am Sam")
    assert memory.load_memory_variables({}) == {"history": "Sam greets."}


def test_clears_everything() -> None:
    """`clear` deletes the messages and what was derived from them (A2)."""
    memory = ConversationSummaryMemory(llm=ScriptedModel("Sam greets."))
    memory.chat_memory.add_user_message("Hi, I am Sam")
    memory.chat_memory.clear()
    assert (memory.history(), memory.summary) == ([], "")


def test_checks_messages() -> None:
    """Messages are checked as everywhere (T1)."""
    history = ConversationBufferMemory().chat_memory
    with pytest.raises(MessageError):
        history.add_message({"role": "robot", "content": "beep"})
    assert history.messages == []


def test_gives_copies() -> None:
    """Changing a returned message changes nothing (I9, X2)."""
    history = ConversationBufferMemory().chat_memory
    history.add_user_message("a")
    history.messages[0]["content"] = "changed"
    assert history.messages[0]["content"] == "a"


CHANGES: list[Callable[[LogHistory], object]] = [
    lambda history: history.messages.append({"role": "user", "content": "b"}),
    lambda history: history.messages.extend([{"role": "user", "content": "b"}]),
    lambda history: history.messages.insert(0, {"role": "user", "content": "b"}),
    lambda history: history.messages.pop(),
    lambda history: history.messages.remove({"role": "user", "content": "a"}),
    lambda history: history.messages.clear(),
    lambda history: operator.setitem(history.messages, 0, {"role": "user", "content": "b"}),
    lambda history: operator.delitem(history.messages, 0),
    lambda history: history.messages.__iadd__([{"role": "user", "content": "b"}]),
    lambda history: setattr(history, "messages", []),
]


@pytest.mark.parametrize("change", CHANGES)
def test_refuses_to_be_changed_by_its_list(change: Callable[[LogHistory], object]) -> None:
    """Changing the list, as LangChain's users may, is an error that says what to write: it would change nothing."""
    memory = ConversationBufferMemory()
    memory.chat_memory.add_user_message("a")
    with pytest.raises(MessageError, match=r"chat_memory\.add_message.*memory\.forget.*memory\.clear"):
        change(memory.chat_memory)
    assert memory.history() == memory.chat_memory.messages == [{"role": "user", "content": "a"}]
