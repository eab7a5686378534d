"""The log of a memory by the name and with the methods that LangChain users know."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from memzoo.errors import MessageError
from memzoo.stores import Message

__all__ = ["LogHistory"]


class LogHistory:
    r"""What `memory.chat_memory` is: the conversation's log, to read, to add to, to clear.

    Example:
        >>> from memzoo import ConversationBufferMemory
        >>> memory = ConversationBufferMemory()
        >>> memory.chat_memory.add_user_message("hi")
        >>> memory.chat_memory.add_ai_message("what's up")
        >>> memory.load_memory_variables({})
        {'history': "Human: hi\nAI: what's up"}
    """

    def __init__(
        self, read: Callable[[], list[Message]], add: Callable[[Sequence[Message]], None], clear: Callable[[], None]
    ) -> None:
        self._read = read
        self._add = add
        self._clear = clear

    @property
    def messages(self) -> list[Message]:
        """All that was said, oldest first: a copy of the log, which refuses to be added to."""
        return _Said(self._read())

    @messages.setter
    def messages(self, _: object) -> NoReturn:
        _refuse()

    def add_messages(self, messages: Sequence[Message]) -> None:
        """Add chat messages, oldest first, as one turn."""
        self._add(messages)

    def add_message(self, message: Message) -> None:
        """Add one chat message."""
        self.add_messages([message])

    def add_user_message(self, text: str) -> None:
        """Add what the user said."""
        self.add_message({"role": "user", "content": text})

    def add_ai_message(self, text: str) -> None:
        """Add what the assistant said."""
        self.add_message({"role": "assistant", "content": text})

    def clear(self) -> None:
        """Delete the conversation and all that was derived from it."""
        self._clear()


def _refuse(*_: object) -> NoReturn:
    raise MessageError(
        "chat_memory.messages is a copy of the log, and changing it would change nothing. Write "
        "chat_memory.add_message(...) to add something, memory.forget([numbers]) to delete something, and "
        "memory.clear() to begin anew"
    )


class _Said(list[Message]):
    """Messages as LangChain's users know them, who would wonder that they cannot be added to."""

    append: Any = _refuse
    extend: Any = _refuse
    insert: Any = _refuse
    remove: Any = _refuse
    pop: Any = _refuse
    clear: Any = _refuse
    __setitem__: Any = _refuse
    __delitem__: Any = _refuse
    __iadd__: Any = _refuse
