"""The log of a memory under the name and with the methods that LangChain users know."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memzoo.stores import Message

if TYPE_CHECKING:
    from memzoo.memories.base import BaseMemory

__all__ = ["ChatHistory"]


class ChatHistory:
    r"""What `memory.chat_memory` is: the conversation's log, to read, to add to, to clear.

    Example:
        >>> from memzoo.memories import ConversationBufferMemory
        >>> memory = ConversationBufferMemory()
        >>> memory.chat_memory.add_user_message("hi")
        >>> memory.chat_memory.add_ai_message("what's up")
        >>> memory.load_memory_variables({})
        {'history': "Human: hi\nAI: what's up"}
    """

    def __init__(self, memory: "BaseMemory") -> None:
        self._memory = memory

    @property
    def messages(self) -> list[Message]:
        """All that was said, oldest first."""
        return self._memory.history()

    def add_messages(self, messages: Sequence[Message]) -> None:
        """Add chat messages, oldest first, as one turn."""
        self._memory.add_messages(messages)

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
        self._memory.clear()
