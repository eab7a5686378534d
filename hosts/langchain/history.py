"""A conversation's messages by LangChain's interface, and LangChain's histories as stores."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from memzoo.hosts.langchain.messages import dicts, objects
from memzoo.hosts.messages import in_common
from memzoo.hosts.shared import VirtualSubclass
from memzoo.memories import ConversationBufferMemory
from memzoo.stores import Message, MessageListStore, take_back
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking, drive

__all__ = ["ChatHistory", "ChatMessageHistory", "LiveMessages", "MessageHistory", "history_store"]


_SPEAKERS = {"user": "Human", "assistant": "AI"}


class MessageHistory(VirtualSubclass):
    """What a memory shows as LangChain's `BaseChatMessageHistory`, for `RunnableWithMessageHistory` and the like.

    What is added is saved and learnt from; what is read is the memory's view.
    """

    host_modules = ("langchain_core.chat_history",)
    host_class = "BaseChatMessageHistory"

    def __init__(self, plain: BaseMemory) -> None:
        self._plain = plain

    async def aget_messages(self) -> list[Any]:
        """The messages as LangChain's objects, oldest first."""
        return objects(await self._plain.amessages())

    async def aadd_messages(self, messages: Sequence[Any]) -> None:
        """Add messages, oldest first, as one turn."""
        await self._plain.aadd_messages(dicts(messages))

    async def aclear(self) -> None:
        """Delete the conversation and all that was learnt from it."""
        await self._plain.aclear()

    add_messages = blocking(aadd_messages)
    clear = blocking(aclear)

    @property
    def messages(self) -> list[Any]:
        """The messages as LangChain's objects, oldest first."""
        return drive(self.aget_messages())

    def add_message(self, message: Any) -> None:
        """Add a message."""
        self.add_messages([message])

    def add_user_message(self, message: Any) -> None:
        """Add what the user said: a text or a message."""
        self.add_message(_to_message("user", message))

    def add_ai_message(self, message: Any) -> None:
        """Add what the assistant said: a text or a message."""
        self.add_message(_to_message("assistant", message))

    def __str__(self) -> str:
        said = dicts(self.messages)
        return "\n".join(f"{_SPEAKERS.get(one['role'], one['role'].title())}: {one['content']}" for one in said)


class ChatHistory(MessageHistory):
    """All that was ever said, whatever the strategy shows of it: `memory.chat_memory`."""

    async def aget_messages(self) -> list[Any]:
        """All messages as LangChain's objects, oldest first."""
        return objects(await self._plain.ahistory())

    @property
    def messages(self) -> list[Any]:
        """All messages as LangChain's objects, oldest first; changing the list changes the conversation."""
        return LiveMessages(drive(self.aget_messages()), self._replace)

    @messages.setter
    def messages(self, messages: Iterable[Any]) -> None:
        self._replace(messages)

    def _replace(self, messages: Iterable[Any]) -> None:
        drive(self._areplace(dicts(messages)))

    async def _areplace(self, new: list[Message]) -> None:
        """Delete what is not at the beginning of the new messages, and add the rest; what was learnt stays."""
        old = await self._plain.aentries()
        same = in_common([entry.message for entry in old], new)
        if gone := [entry.seq for entry in old[same:]]:
            await take_back(self._plain.store, self._plain.conversation_id, gone, derived=False)
        await self._plain.aadd_messages(new[same:])


class ChatMessageHistory(ChatHistory):
    """A history that stands by itself, in place of LangChain's in memory or in a database.

    Example:
        >>> history = ChatMessageHistory()
        >>> history.add_user_message("hi")
        >>> len(history.messages)
        1
    """

    def __init__(self, messages: Iterable[Any] = (), **options: Any) -> None:
        """Begin or open one.

        Args:
            messages: What was said before.
            **options: `store` and `conversation_id`; by default it is new, and lasts as long as this process.
        """
        super().__init__(ConversationBufferMemory(**options))
        self.add_messages(list(messages))


class LiveMessages(list[Any]):
    """A list of messages that writes each change back to where they came from.

    Attributes:
        write: Called with the list after each change.
    """

    def __init__(self, messages: Iterable[Any], write: Callable[[list[Any]], None]) -> None:
        super().__init__(messages)
        self.write = write

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


def _writing(name: str) -> Callable[..., Any]:
    change: Callable[..., Any] = getattr(list, name)

    def method(self: LiveMessages, *args: Any) -> Any:
        result = change(self, *args)
        self.write(self)
        return result

    return method


for _name in ("append", "extend", "insert", "pop", "remove", "clear", "__setitem__", "__delitem__", "__iadd__"):
    setattr(LiveMessages, _name, _writing(_name))


def history_store(history: Any) -> MessageListStore:
    """A store over a LangChain history: it keeps the messages, and this process what is learnt from them."""

    def update(_: str, messages: Sequence[Message]) -> None:
        new = objects(messages[len(history.messages) :])
        if hasattr(history, "add_messages"):
            history.add_messages(new)
            return
        for message in new:
            history.add_message(message)

    return MessageListStore(get=lambda _: dicts(history.messages), update=update, delete=lambda _: history.clear())


def _to_message(role: str, message: Any) -> Any:
    return {"role": role, "content": message} if isinstance(message, str) else message
