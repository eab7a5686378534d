"""Lets a comparison use the memory of another library as if it were one of memzoo's."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, cast

from memzoo.benchmarks.contenders.process import Contender
from memzoo.errors import PluginError
from memzoo.hosts.messages import dict_of
from memzoo.memories import Usage
from memzoo.stores import Message, Record
from memzoo.strategy import text_of

_ROLES = "system", "user", "assistant", "tool"


class ContenderMemory:
    """A contender's memory of one conversation, with the methods that a comparison calls.

    Args:
        contender: The process in which the memory runs.
        count: A function that counts the tokens of a text.
        clock: A function that returns the present time in the conversation.
        **start: The fields of the first request to the contender: the options, the budget and the speakers' names.

    Attributes:
        usage: The model calls of the contender.

    Raises:
        PluginError: The contender failed to start.
    """

    def __init__(
        self, contender: Contender, count: Callable[[str], int], clock: Callable[[], datetime], **start: Any
    ) -> None:
        self._contender, self._count, self._clock = contender, count, clock
        self.usage = contender.port.usage = Usage()
        self._said: list[Message] = []
        contender.ask("start", count, **start)

    def timer(self) -> float:
        """Return the CPU seconds of the contender's process so far."""
        return self._contender.seconds

    def messages(self, query: str | None = None) -> list[Message]:
        """Return the contender's view for a question.

        Raises:
            PluginError: The view is not a list of chat messages with texts.
        """
        found: Any = self._contender.ask("view", self._count, question=query or "").get("messages")
        wanted = 'view must return a list of {"role": "...", "content": "..."}'
        if not isinstance(found, list):
            raise PluginError(f"{wanted}, not {found!r:.200}")
        messages = cast("list[Message]", found)
        for number, one in enumerate(messages, start=1):
            if fault := _find_fault(one):
                raise PluginError(f"{wanted}: {fault} in message {number}, {one!r:.200}")
        return messages

    def add_messages(self, records: Sequence[Record], turn_id: str) -> None:
        """Save an exchange, with its time if known. Names, tool calls and results are passed on unchanged."""
        messages = [one.message for one in records]
        self._said += messages
        said_at = "" if records[0] == Record.dated(messages[0], None) else self._clock().isoformat()
        self._contender.ask("save", self._count, messages=messages, said_at=said_at)

    def forget(self, numbers: Sequence[int]) -> None:
        """Delete messages by their texts. A contender that cannot delete keeps the messages."""
        self._contender.ask("delete", self._count, texts=[text_of(self._said[number - 1]) for number in numbers])

    def settle(self) -> None:
        """Do nothing: a contender has already learnt an exchange when the save returns."""

    def relearn(self) -> None:
        """Do nothing: a contender cannot learn a conversation anew."""


def _find_fault(message: object) -> str:
    """Return a description of the fault in a message of a view; "" if there is none."""
    known = dict_of(message)
    if known.get("role") not in _ROLES:
        return f"role must be one of {', '.join(_ROLES)}"
    if not isinstance(known.get("content"), str):
        return "content must be a string"
    return "tool_call_id is missing" if known["role"] == "tool" and not known.get("tool_call_id") else ""
