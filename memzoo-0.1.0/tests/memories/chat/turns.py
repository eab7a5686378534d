"""What the tests of turns share."""

from typing import Any

import pytest

from memzoo.memories import Turn
from memzoo.stores import Message

CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT: Message = {"role": "tool", "tool_call_id": "c", "content": "done"}


class Mishap(BaseException):
    """Something that no `except Exception` catches, like an interrupt."""


def roles(messages: list[Message]) -> str:
    """The roles of messages, by their first letters."""
    return "".join(message["role"][0] for message in messages)


def contents(messages: list[Message]) -> list[Any]:
    """What messages say."""
    return [message["content"] for message in messages]


def failed(turn: Turn, error: type[BaseException], *said: Message) -> Turn:
    """A turn that an exception ended after something was said."""

    def talk() -> None:
        with turn:
            turn.add(*said)
            raise error

    with pytest.raises(error):
        talk()
    return turn
