"""Attributes that can be assigned have an effect; what cannot be pickled says what can."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.errors import OptionError
from memzoo.memories import Conversation, ConversationBufferMemory, MemoryProvider, create_memory

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


def test_what_can_change_does() -> None:
    """The system message and the memory of a conversation are read at each turn."""
    talk = conversation()
    talk.system, talk.memory = "Be brief.", buffer()
    talk.send("My cat is called Pixel.")
    assert len(talk.memory.history()) == 2


def test_a_class_of_ones_own_may_keep_what_it_likes() -> None:
    """Only options cannot be assigned."""

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
