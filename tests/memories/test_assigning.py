"""What is assigned to an object has an effect, or is refused; what cannot be pickled says what can."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.errors import OptionError
from memzoo.memories import Conversation, ConversationBufferMemory, MemoryProvider, create_memory
from memzoo.stores import InMemoryStore

Maker = Callable[[], Any]


def buffer() -> Any:
    """A memory."""
    return create_memory("buffer")


def conversation() -> Any:
    """A conversation."""
    return Conversation("offline", "window")


def provider() -> Any:
    """A provider."""
    return MemoryProvider("window", k=3)


@pytest.mark.parametrize(
    ("make", "name", "value", "advice"),
    [
        (buffer, "k", 3, "ConversationBufferMemory has nothing called 'k'"),
        (buffer, "return_mesages", True, "Did you mean 'return_messages'"),
        (conversation, "max_tokens", 5, r"make another one: Conversation\(max_tokens=\.\.\., \.\.\.\)"),
        (conversation, "on_failure", "rollback", "on_failure cannot change"),
        (conversation, "sytem", "Be brief.", "Did you mean 'system'"),
        (provider, "idle_seconds", -1, r"make another one: MemoryProvider\(idle_seconds=\.\.\., \.\.\.\)"),
        (provider, "max_memories", 1, "max_memories cannot change"),
        (provider, "store", InMemoryStore(), "store cannot change"),
    ],
)
def test_what_would_do_nothing_is_refused(make: Maker, name: str, value: object, advice: str) -> None:
    """An option that is chosen when the object is made, one of another class, and a typo are `OptionError`s."""
    made = make()
    with pytest.raises(OptionError, match=advice):
        setattr(made, name, value)
    assert getattr(made, name, None) is not value


def test_what_can_change_does() -> None:
    """The system message and the memory of a conversation are read at each turn."""
    talk = conversation()
    talk.system, talk.memory = "Be brief.", buffer()
    talk.send("My cat is called Pixel.")
    assert len(talk.memory.history()) == 2


def test_a_class_of_ones_own_may_keep_what_it_likes() -> None:
    """Only classes of this library are known to read nothing else."""

    class Mine(ConversationBufferMemory):
        def __post_init__(self) -> None:
            super().__post_init__()
            self.shelf = ["a"]

    assert Mine().shelf == ["a"]


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
@pytest.mark.parametrize(("make", "instead"), [(conversation, "pickle its memory"), (provider, "pickle a memory")])
def test_what_lives_in_a_process_says_what_to_pickle(make: Maker, instead: str, copied: Any) -> None:
    """A conversation and a provider hold clients, locks and turns: a typed error names what can travel."""
    with pytest.raises(OptionError, match=instead):
        copied(make())
