"""Keeps one memory object per conversation, and can delete a conversation at the end of a scope or session."""

import contextlib
import secrets
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Literal

from memzoo.errors import OptionError
from memzoo.forks import new_rlock
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.locks import turn_locks
from memzoo.memories.options import a_store, check_texts, one_of, refuse_pickling, whole_number
from memzoo.memories.registry import create_memory
from memzoo.stores import InMemoryStore, Store
from memzoo.stores.base import managed
from memzoo.stores.forgetting import Receipt
from memzoo.sync import Closing, Managed, blocking

# The prefix by which `delete_old` recognises conversations left behind by a killed process.
_SCOPE = "memzoo-scope-"
_PER_CONVERSATION = ("store", "conversation_id")


class MemoryProvider(Closing):
    """Provides the memory of each conversation, in a program with many conversations.

    `release` and the limits `max_memories` and `idle_seconds` drop memory objects; the conversations stay in the store.
    `forget` and the end of a `scope` delete a conversation.

    Example:
        >>> provider = MemoryProvider("window", k=3)
        >>> provider.get("anna") is provider.get("anna")
        True
        >>> with provider.scope() as memory:
        ...     memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> provider.conversations()
        []
    """

    def __init__(
        self,
        name: str,
        *,
        store: Store | None = None,
        default_id: Callable[[], str] | None = None,
        max_memories: int = 1000,
        idle_seconds: float = 3600.0,
        clock: Callable[[], float] = time.monotonic,
        **options: Any,
    ) -> None:
        """Create a provider of memories with one strategy.

        Args:
            name: The strategy's name, as for `create_memory`.
            store: The store of all conversations, by default in memory. You must close the store yourself.
            default_id: A function that returns the conversation id for calls without an id, for example the id of the
                running request or session from a `ContextVar`.
            max_memories: The maximum number of memory objects to keep; the least recently used are dropped first.
            idle_seconds: How long to keep an unused memory object, in seconds.
            clock: A function that returns the time in seconds.
            **options: The options of the strategy, checked at once.

        Raises:
            OptionError: No strategy has this name.
            OptionError: An option is unknown, or has an invalid value.
        """
        if fixed := [option for option in _PER_CONVERSATION if option in options]:
            raise OptionError(f"{fixed[0]} is set by the provider for each memory; leave it out, and call get(id)")
        whole_number("max_memories", max_memories, at_least=1)
        if not isinstance(idle_seconds, (int, float)) or not idle_seconds > 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"idle_seconds must be a number greater than 0, not {idle_seconds!r}")
        check_default_id(default_id)
        create_memory(name, **options)
        self._default_id = default_id
        self._store: Store = InMemoryStore() if store is None else store
        a_store("store", self._store)  # given a URL, each memory would open a store of its own
        self._name, self._options = name, options
        self._max_memories, self._idle_seconds, self._clock = max_memories, idle_seconds, clock
        self._lock = new_rlock()
        self._at_hand: OrderedDict[str, tuple[BaseMemory, float]] = OrderedDict()
        # An evicted memory that is still in use or in upkeep is returned again: an id never has two memories.
        self._alive: weakref.WeakValueDictionary[str, BaseMemory] = weakref.WeakValueDictionary()
        self._sessions: dict[str, _Session] = {}

    __reduce_ex__ = refuse_pickling("pickle a memory that it gives, or make another MemoryProvider over the same store")

    @property
    def store(self) -> Store:
        """The store of all conversations."""
        return self._store

    def __repr__(self) -> str:
        return f"<MemoryProvider of {self._name!r} in {self._store!r}, {len(self)} at hand>"

    def __len__(self) -> int:
        """Return the number of memory objects."""
        return len(self._at_hand)

    def __contains__(self, conversation_id: object) -> bool:
        """Return whether the provider has a memory object for the conversation."""
        return conversation_id in self._at_hand

    def get(self, conversation_id: str | None = None) -> BaseMemory:
        """Return the memory of a conversation.

        All callers in this process get the same memory object while one of them, or the provider, still holds it.

        Args:
            conversation_id: The conversation; by default the result of `default_id`.

        Raises:
            OptionError: The id is empty; or no id is given, and no `default_id` provides one.
        """
        id_ = self._id_of(conversation_id)
        with self._lock:
            memory = self._alive.get(id_)
            if memory is None:
                memory = create_memory(self._name, store=self._store, conversation_id=id_, **self._options)
                self._alive[id_] = memory
            self._at_hand[id_] = (memory, self._clock())
            self._at_hand.move_to_end(id_)
            self._evict()
            return memory

    def release(self, conversation_id: str | None = None) -> None:
        """Drop a conversation's memory object. Deletes nothing: the next `get` continues the conversation.

        `conversation_id` is by default the result of `default_id`.
        """
        id_ = self._id_of(conversation_id)
        with self._lock:
            self._at_hand.pop(id_, None)

    async def aforget(self, conversation_id: str | None = None, *, thorough: bool = False) -> Receipt:
        """Delete a conversation: its messages and everything learnt from them.

        A turn that is still running stores nothing more.

        Args:
            conversation_id: The conversation; by default the result of `default_id`.
            thorough: True to rewrite the store's files too, so that no copy is left in them.

        Returns:
            The receipt of the deletion, as from `BaseMemory.forget`.
        """
        with self._end_turn(self._id_of(conversation_id)) as memory:
            return await memory.aforget(None, thorough=thorough)

    async def aconversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
    ) -> list[str]:
        """Return the ids of the conversations in the store, in ascending order; with `limit`, one page of them.

        Args:
            after: Return only ids after this id, which is the last id of the previous page.
            limit: The maximum number of ids to return; `None` for all.
            idle_since: Return only conversations without a message since this time, which must have a time zone.
            prefix: Return only ids with this prefix.

        Raises:
            OptionError: An argument has the wrong type.
            UnsupportedError: The store cannot list its conversations.
        """
        if limit is not None:
            whole_number("limit", limit, at_least=0)
        check_texts(prefix=prefix, after=after or "")
        if idle_since is not None and getattr(idle_since, "tzinfo", None) is None:
            raise OptionError(f"idle_since must be a datetime with a time zone, not {idle_since!r}")
        listed = managed(self._store, "conversations").conversations
        return await listed(after=after, limit=limit, idle_since=idle_since, prefix=prefix)

    forget = blocking(aforget)
    conversations = blocking(aconversations)

    def scope(self, conversation_id: str | None = None) -> "ScopedMemory":
        """Return a context manager for the memory of a new conversation; the end of the block deletes the conversation.

        Args:
            conversation_id: A conversation to use instead; it is not deleted at the end of the block.

        Raises:
            OptionError: The id is not a string, or empty.
        """
        if conversation_id is None:
            made = _SCOPE + secrets.token_urlsafe()
            return ScopedMemory(lambda: self.get(made), lambda: self._end(made))
        given = _check(conversation_id)
        return ScopedMemory(lambda: self.get(given))

    def session(self, key: str, *, at_end: Literal["delete", "keep"]) -> "ScopedMemory":
        """Return a context manager for the memory of a session, such as a connection or a login.

        Blocks with the same key share a memory and a conversation. The session ends when none of its blocks is open in
        this process; after that, the same key begins a new session. The conversation's id is new and cannot be guessed
        from the key.

        Args:
            key: The name of the connection or login.
            at_end: `"delete"` to delete the conversation when the session ends, `"keep"` to keep it. If one block
                of the session says `"keep"`, the conversation is kept.

        Raises:
            OptionError: The key is not a string, or empty; or `at_end` is unknown.
        """
        one_of("at_end", at_end, "delete", "keep")
        _check(key)
        return ScopedMemory(lambda: self._enter(key), lambda: self._leave(key, keep=at_end == "keep"))

    def close(self) -> None:
        """Drop all memory objects. Deletes no conversation, and leaves the store open."""
        with self._lock:
            self._at_hand.clear()

    def _id_of(self, conversation_id: str | None) -> str:
        return _check(conversation_id) if conversation_id is not None else default_of(self._default_id)

    def _enter(self, key: str) -> BaseMemory:
        with self._lock:
            session = self._sessions.setdefault(key, _Session())
            session.blocks += 1
            return self.get(session.conversation_id)

    async def _leave(self, key: str, *, keep: bool) -> None:
        with self._lock:
            session = self._sessions[key]
            session.blocks -= 1
            session.is_kept |= keep
            if session.blocks:
                return
            del self._sessions[key]
        if session.is_kept:
            self.release(session.conversation_id)
        else:
            await self._end(session.conversation_id)

    async def _end(self, conversation_id: str) -> None:
        """Delete the conversation of a scope or session without a trace; the id is never used again."""
        with self._end_turn(conversation_id) as memory:
            await memory.aclear()

    @contextlib.contextmanager
    def _end_turn(self, conversation_id: str) -> Generator[BaseMemory]:
        memory = self.get(conversation_id)
        # A running turn would store deleted messages again.
        turn_locks.of(self._store, conversation_id).end()
        try:
            yield memory
        finally:
            self.release(conversation_id)

    def _evict(self) -> None:
        # Memories are in the order of use: the least recently used memory comes first.
        since = self._clock() - self._idle_seconds
        while self._at_hand and (
            len(self._at_hand) > self._max_memories or next(iter(self._at_hand.values()))[1] < since
        ):
            self._at_hand.popitem(last=False)


class ScopedMemory(Managed[BaseMemory]):
    """The context manager that `scope` and `session` return; its `with` or `async with` block yields the memory."""

    def __init__(self, begin: Callable[[], BaseMemory], end: Callable[[], Any] | None = None) -> None:
        self._begin = begin
        self._end = end

    async def __aenter__(self) -> BaseMemory:
        return self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._end:
            await self._end()


@dataclass
class _Session:
    conversation_id: str = field(default_factory=secrets.token_urlsafe)
    blocks: int = 0
    is_kept: bool = False


def _check(conversation_id: object) -> str:
    if not isinstance(conversation_id, str) or not conversation_id.strip():
        raise OptionError(
            f"a conversation's id must be a non-empty string, not {conversation_id!r}. There is no shared default: "
            "pass the id of the user's chat, or use provider.scope() for a fresh one"
        )
    return conversation_id


def check_default_id(default_id: object) -> None:
    """Raise an `OptionError` unless the option `default_id` is a function or `None`."""
    if default_id is not None and not callable(default_id):
        raise OptionError(f"default_id must be a function that returns a conversation's id, not {default_id!r}")


def default_of(default_id: Callable[[], str] | None) -> str:
    """Return the conversation id from the option `default_id`.

    Raises:
        OptionError: The option is missing, or its function returned no id.
    """
    given: object = default_id() if default_id else None
    if default_id and not (isinstance(given, str) and given.strip()):
        raise OptionError(f"default_id must return a non-empty string, not {given!r}")
    return _check(given)
