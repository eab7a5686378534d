"""The ways to speak in a conversation, and tools to try."""

import asyncio
import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memzoo.memories import STRATEGIES, Conversation
from memzoo.memories.strategies.named import further_names
from memzoo.stores import Message

Say = Callable[[Conversation, str], str]


def sends(conversation: Conversation, text: str) -> str:
    """Synchronously, in one piece."""
    return conversation.send(text)


def streams(conversation: Conversation, text: str) -> str:
    """Synchronously, in pieces."""
    return "".join(conversation.stream(text))


def asends(conversation: Conversation, text: str) -> str:
    """Asynchronously, in one piece."""
    return asyncio.run(_asend(conversation, text))


def astreams(conversation: Conversation, text: str) -> str:
    """Asynchronously, in pieces."""
    return asyncio.run(_astream(conversation, text))


async def _asend(conversation: Conversation, text: str) -> str:
    return await conversation.asend(text)


async def _astream(conversation: Conversation, text: str) -> str:
    return "".join([piece async for piece in conversation.astream(text)])


WAYS: list[Say] = [sends, streams, asends, astreams]
each_way = pytest.mark.parametrize("say", WAYS, ids=lambda say: say.__name__)
# In one of the ways, since a way does not know its memory.
each_strategy = pytest.mark.parametrize(("name", "say"), [*zip([*STRATEGIES, *further_names()], itertools.cycle(WAYS))])


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def describe(thing: str) -> dict[str, str]:
    """What something is like."""
    return {thing: "hot"}


def fail() -> None:
    """Fail."""
    raise OSError("no such city")


def quiet() -> str:
    """Say nothing."""
    return ""


def meeting() -> list[Callable[[], str]]:
    """Two tools, each of which returns only when the other is called too."""
    barrier = threading.Barrier(2)

    def first() -> str:
        barrier.wait(timeout=30)
        return "one"

    def second() -> str:
        barrier.wait(timeout=30)
        return "two"

    return [first, second]


def texts(messages: list[Message]) -> list[tuple[str, Any]]:
    """Roles and contents."""
    return [(message["role"], message["content"]) for message in messages]
