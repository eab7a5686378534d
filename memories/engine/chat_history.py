"""The log of a memory by the name and with the methods that LangChain users know."""

from collections.abc import Callable, Sequence

from memzoo.stores import Message

__all__ = ["ChatHistory"]


class ChatHistory:
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
        """All that was said, oldest first."""
        return self._read()

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
