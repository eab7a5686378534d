"""A conversation's messages as a LangChain history, and stores that keep their messages in a LangChain history."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from memzoo.errors import MissingExtraError
from memzoo.hosts.langchain.messages import dicts, has_langchain, object_of, objects, record_of
from memzoo.hosts.langchain.state import Content, content_of_store, restore_content
from memzoo.hosts.messages import in_common
from memzoo.hosts.shared import VirtualSubclass
from memzoo.memories import ConversationBufferMemory
from memzoo.stores import Entry, InMemoryStore, Message, MessageListStore, Record
from memzoo.stores.base import managed
from memzoo.strategy import BaseMemory
from memzoo.sync import blocking, drive

_SPEAKERS = {"user": "Human", "assistant": "AI"}


class MessageHistory(VirtualSubclass):
    """A memory's view as LangChain's `BaseChatMessageHistory`, for `RunnableWithMessageHistory`."""

    host_modules = ("langchain_core.chat_history",)
    host_class = "BaseChatMessageHistory"

    def __init__(self, plain: BaseMemory) -> None:
        self._plain = plain

    async def aget_messages(self) -> list[Any]:
        """Return the messages as LangChain's objects, oldest first."""
        return objects(await self._plain.amessages())

    async def aadd_messages(self, messages: Sequence[Any]) -> None:
        """Add messages, oldest first, as one turn."""
        await self._plain.aadd_messages(dicts(messages))

    async def aclear(self) -> None:
        """Delete the conversation and everything learnt from it."""
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
        """Add the user's words: a text or a message."""
        self.add_message(_to_message("user", message))

    def add_ai_message(self, message: Any) -> None:
        """Add the assistant's words: a text or a message."""
        self.add_message(_to_message("assistant", message))

    def __str__(self) -> str:
        said = dicts(self.messages)
        return "\n".join(f"{_SPEAKERS.get(one['role'], one['role'].title())}: {one['content']}" for one in said)


class ChatHistory(MessageHistory):
    """A memory's whole conversation as a LangChain history, including the messages that the view hides."""

    def __init__(self, plain: BaseMemory) -> None:
        super().__init__(plain)
        # The messages that the program has: the log number, the object, and the object's content when handed out.
        self._given_out: list[tuple[int, Any, Any]] = []

    async def aget_messages(self) -> list[Any]:
        """Return all messages as LangChain's objects, oldest first."""
        await self._atake_edits()
        entries = await self._plain.aentries()
        # Return the same object for a message each time, as LangChain does.
        known = {number: message for number, message, _ in self._given_out}
        messages = [known[entry.seq] if entry.seq in known else object_of(entry) for entry in entries]
        self._give_out(entries, messages)
        return messages

    async def aadd_messages(self, messages: Sequence[Any]) -> None:
        """Add messages, oldest first, as one turn. As in LangChain, the memory learns from them at its next save."""
        await self._atake_edits()
        await self._plain.aadd_messages(list(map(record_of, messages)), learn=False)

    async def aclear(self) -> None:
        """Delete the messages. As in LangChain, the memory keeps what it has learnt."""
        await self._areplace([])

    @property
    def messages(self) -> list[Any]:
        """All messages as LangChain's objects, oldest first.

        Changes to the list are stored at once. A change to a message is stored when the memory is next used.
        """
        return LiveMessages(lambda: drive(self.aget_messages()), self._replace)

    @messages.setter
    def messages(self, messages: Iterable[Any]) -> None:
        self._replace(list(messages))

    def take_edits(self) -> None:
        """Store changes that a program has made to messages of the history, such as `messages[-1].content = "..."`."""
        if self._find_edited():
            drive(self._atake_edits())

    def model_dump(self, **options: Any) -> Any:
        """Return a dict with the messages under `"messages"`, as LangChain's in-memory history does."""
        return self._as_langchain().model_dump(**options)

    def model_dump_json(self, **options: Any) -> str:
        """Return `model_dump` as JSON."""
        return str(self._as_langchain().model_dump_json(**options))

    dict = model_dump
    """The same as `model_dump`."""
    json = model_dump_json
    """The same as `model_dump_json`."""

    def _as_langchain(self) -> Any:
        if not has_langchain():
            raise MissingExtraError("dumping the messages needs langchain-core: pip install langchain-core")
        from langchain_core.chat_history import InMemoryChatMessageHistory

        return InMemoryChatMessageHistory(messages=list(self.messages))

    def _find_edited(self) -> Mapping[int, Any]:
        return {number: message for number, message, said in self._given_out if _content_of(message) != said}

    async def _atake_edits(self) -> None:
        if edited := self._find_edited():
            known, self._given_out = {number: message for number, message, _ in self._given_out}, []
            entries = await self._plain.aentries()
            new = [
                record_of(edited[one.seq]) if one.seq in edited else Record(one.message, one.fields) for one in entries
            ]
            await self._areplace(new)
            now = zip(entries, await self._plain.aentries(), strict=False)
            given = [(after, known[before.seq]) for before, after in now if before.seq in known]
            self._give_out([entry for entry, _ in given], [message for _, message in given])

    def _give_out(self, entries: Sequence[Entry], messages: Sequence[Any]) -> None:
        together = zip(entries, messages, strict=True)
        self._given_out = [(entry.seq, message, copy(_content_of(message))) for entry, message in together]

    def _replace(self, messages: Sequence[Any]) -> None:
        drive(self._areplace(list(map(record_of, messages))))
        self._give_out(drive(self._plain.aentries()), messages)

    async def _areplace(self, new: Sequence[Record]) -> None:
        """Replace the log's messages by new messages, from the first difference on; the memory's states are kept."""
        old = await self._plain.aentries()
        kept, given = ([(one.message, object_of(one)) for one in side] for side in (old, new))
        same = in_common(kept, given)
        if gone := [entry.seq for entry in old[same:]]:
            store = managed(self._plain.store, "forget")
            await store.forget(self._plain.conversation_id, gone, derived=False, tombstones=False)
        await self._plain.aadd_messages(new[same:], learn=False)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # For pickles and deep copies, as in a memory.
        store, conversation_id = self._plain.store, self._plain.conversation_id
        if isinstance(store, InMemoryStore):
            return _reopen_history, (None, conversation_id, content_of_store(store, conversation_id))
        return _reopen_history, (store, conversation_id, None)


class ChatMessageHistory(ChatHistory):
    """A history of messages without a memory, for programs that use LangChain's histories.

    Example:
        >>> history = ChatMessageHistory()
        >>> history.add_user_message("hi")
        >>> len(history.messages)
        1
    """

    def __init__(self, messages: Iterable[Any] = (), **options: Any) -> None:
        """Start or open a history.

        Args:
            messages: Earlier messages.
            **options: `store` and `conversation_id`; by default the history is new, and is lost when the process ends.
        """
        super().__init__(ConversationBufferMemory(**options))
        self.add_messages(list(messages))

    async def aclear(self) -> None:
        """Delete the conversation, and everything that memories have learnt from it."""
        await self._plain.aclear()


class LiveMessages(list[Any]):
    """A list of messages that writes each change to its source.

    A change is made to the source's current messages, including any that were added meanwhile. If the source refuses
    the change, the list stays the same.

    Attributes:
        read: A function that returns the current messages.
        write: A function that replaces the source's messages. It is called for each change, with all messages.
    """

    def __init__(self, read: Callable[[], list[Any]], write: Callable[[list[Any]], None]) -> None:
        super().__init__(read())
        self.read, self.write = read, write

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


def _make_method(name: str) -> Callable[..., Any]:
    change: Callable[..., Any] = getattr(list, name)

    def method(self: LiveMessages, *args: Any, **options: Any) -> Any:
        messages = self.read()
        result = change(messages, *args, **options)
        self.write(messages)
        list[Any].__setitem__(self, slice(None), messages)
        return self if result is messages else result

    return method


for _name in (
    *("append", "extend", "insert", "pop", "remove", "clear", "reverse", "sort"),
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
):
    setattr(LiveMessages, _name, _make_method(_name))


def history_store(history: Any) -> MessageListStore:
    """Return a store that keeps its messages in a LangChain history, and its states only in this process."""

    def update(_: str, messages: Sequence[Message]) -> None:
        new = objects(messages[len(history.messages) :])
        if hasattr(history, "add_messages"):
            history.add_messages(new)
            return
        for message in new:
            history.add_message(message)

    return MessageListStore(get=lambda _: dicts(history.messages), update=update, delete=lambda _: history.clear())


def _content_of(message: Any) -> Any:
    return getattr(message, "content", None)


def _reopen_history(store: Any, conversation_id: str, content: Content | None) -> ChatHistory:
    kept = store if content is None else restore_content(conversation_id, content)
    return ChatHistory(ConversationBufferMemory(store=kept, conversation_id=conversation_id))


def _to_message(role: str, message: Any) -> Any:
    return {"role": role, "content": message} if isinstance(message, str) else message
