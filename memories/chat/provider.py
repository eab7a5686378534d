"""Keeps one live memory for each conversation; conversations can end with a request or a session."""

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

from memzoo.errors import ConversationIdError, OptionError
from memzoo.forks import new_rlock
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.locks import turn_locks
from memzoo.memories.engine.receipt import Receipt
from memzoo.memories.options import assigning, not_pickled, one_of, whole_number
from memzoo.memories.registry import create_memory
from memzoo.stores import InMemoryStore, Store, managed
from memzoo.sync import Closing, Managed, blocking

__all__ = ["MemoryProvider", "ScopedMemory"]

# By it `retain` knows a conversation that a killed process left.
_SCOPE = "memzoo-scope-"
_PER_CONVERSATION = ("store", "conversation_id")


class MemoryProvider(Closing):
    """Gives each conversation its memory, in a program that serves many.

    Keeping a memory at hand, and keeping what it remembers, are two things: `release` and eviction do the former,
    `forget` and the end of a `scope` the latter.

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
        max_memories: int = 1000,
        idle_seconds: float = 3600.0,
        clock: Callable[[], float] = time.monotonic,
        **options: Any,
    ) -> None:
        """A provider of memories of one kind.

        Args:
            name: The strategy's name, as for `create_memory`.
            store: Keeps the conversations of all; in memory by default. Whoever opened it closes it.
            max_memories: How many memories are kept at hand; those used longest ago go first.
            idle_seconds: How long a memory is kept at hand without being asked for.
            clock: Gives the time in seconds.
            **options: The options of the strategy. They are checked at once.

        Raises:
            UnknownStrategyError: No strategy has this name.
            OptionError: An option is unknown, or has a value that cannot work.
        """
        if fixed := [option for option in _PER_CONVERSATION if option in options]:
            raise OptionError(f"{fixed[0]} is what a provider gives each memory; leave it out, and call get(id)")
        whole_number("max_memories", max_memories, at_least=1)
        if not isinstance(idle_seconds, (int, float)) or not idle_seconds > 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"idle_seconds must be a number greater than 0, not {idle_seconds!r}")
        create_memory(name, **options)
        self._store: Store = InMemoryStore() if store is None else store
        self._name, self._options = name, options
        self._max_memories, self._idle_seconds, self._clock = max_memories, idle_seconds, clock
        self._lock = new_rlock()
        self._at_hand: OrderedDict[str, tuple[BaseMemory, float]] = OrderedDict()
        # Who was evicted while somebody holds it, or while it learns, comes back: there are never two of one id.
        self._alive: weakref.WeakValueDictionary[str, BaseMemory] = weakref.WeakValueDictionary()
        self._sessions: dict[str, _Session] = {}

    __setattr__ = assigning()
    __reduce_ex__ = not_pickled("pickle a memory that it gives, or make another MemoryProvider over the same store")

    @property
    def store(self) -> Store:
        """Keeps the conversations of all."""
        return self._store

    def __repr__(self) -> str:
        return f"<MemoryProvider of {self._name!r} in {self._store!r}, {len(self)} at hand>"

    def __len__(self) -> int:
        """How many memories are kept at hand."""
        return len(self._at_hand)

    def __contains__(self, conversation_id: object) -> bool:
        """Whether a memory is kept at hand."""
        return conversation_id in self._at_hand

    def get(self, conversation_id: str) -> BaseMemory:
        """The memory of a conversation: one and the same for all in this process who ask for it while it lives.

        Raises:
            ConversationIdError: There is no id; there is no conversation that is everybody's.
        """
        id_ = _check(conversation_id)
        with self._lock:
            memory = self._alive.get(id_)
            if memory is None:
                memory = create_memory(self._name, store=self._store, conversation_id=id_, **self._options)
                self._alive[id_] = memory
            self._at_hand[id_] = (memory, self._clock())
            self._at_hand.move_to_end(id_)
            self._evict()
            return memory

    def release(self, conversation_id: str) -> None:
        """Let go of the memory of a conversation. Nothing is deleted: the next `get` goes on with it."""
        with self._lock:
            self._at_hand.pop(_check(conversation_id), None)

    async def aforget(self, conversation_id: str, *, thorough: bool = False) -> Receipt:
        """Delete a conversation: what was said, all that was learnt from it, and what a turn under way would add.

        Args:
            conversation_id: Which one.
            thorough: As in `BaseMemory.forget`.

        Returns:
            What was removed, as from `BaseMemory.forget`.
        """
        with self._ended(conversation_id) as memory:
            return await memory.aforget(None, thorough=thorough)

    async def aconversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
    ) -> list[str]:
        """The ids of the conversations in the store, in order: all, or a page of them. Only the page is read.

        Args:
            after: Only ids that follow this one: the last one of the page before.
            limit: At most so many; `None` for all.
            idle_since: Only conversations whose newest message is older; with a time zone.
            prefix: Only ids that begin so.

        Raises:
            OptionError: One of them is of a wrong kind.
            UnsupportedError: The store cannot list its conversations.
        """
        if limit is not None:
            whole_number("limit", limit, at_least=0)
        given: dict[str, object] = {"prefix": prefix, "after": after or ""}
        for name, value in given.items():
            if not isinstance(value, str):
                raise OptionError(f"{name} must be text, not {value!r}")
        if idle_since is not None and getattr(idle_since, "tzinfo", None) is None:
            raise OptionError(f"idle_since must be a datetime with a time zone, not {idle_since!r}")
        listed = managed(self._store, "conversations").conversations
        return await listed(after=after, limit=limit, idle_since=idle_since, prefix=prefix)

    forget = blocking(aforget)
    conversations = blocking(aconversations)

    def scope(self, conversation_id: str | None = None) -> "ScopedMemory":
        """For `with` or `async with`: the memory of a conversation that ends with the block, and is deleted then.

        Args:
            conversation_id: A conversation that is somebody's already. It is given as `get` gives it, and stays: only
                what the scope made itself is deleted at its end.

        Raises:
            ConversationIdError: The id is no text, or empty.
        """
        if conversation_id is None:
            made = _SCOPE + secrets.token_urlsafe()
            return ScopedMemory(lambda: self.get(made), lambda: self._end(made))
        given = _check(conversation_id)
        return ScopedMemory(lambda: self.get(given))

    def session(self, key: str, *, at_end: Literal["delete", "keep"]) -> "ScopedMemory":
        """For `with` or `async with`: the memory of a connection or a login, the same for all blocks with its key.

        The session lives as long as one of its blocks in this process. Its conversation has an id of its own, which
        nobody can guess from the key; the next session of the key has another one.

        Args:
            key: Names the connection or login.
            at_end: Whether the conversation is deleted when the last block ends, or kept under its
                `conversation_id`. It is kept if one block says so.

        Raises:
            ConversationIdError: The key is no text, or empty.
            OptionError: `at_end` is neither.
        """
        one_of("at_end", at_end, "delete", "keep")
        _check(key)
        return ScopedMemory(lambda: self._enter(key), lambda: self._leave(key, keep=at_end == "keep"))

    def close(self) -> None:
        """Let go of all memories. Nothing is deleted, and the store stays open."""
        with self._lock:
            self._at_hand.clear()

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
        """Delete the conversation of a scope or session, whose id is never used again: nothing is kept of it."""
        with self._ended(conversation_id) as memory:
            await memory.aclear()

    @contextlib.contextmanager
    def _ended(self, conversation_id: str) -> Generator[BaseMemory]:
        memory = self.get(conversation_id)
        # A turn under way would write down again what is to be gone.
        turn_locks.of(self._store, conversation_id).end()
        try:
            yield memory
        finally:
            self.release(conversation_id)

    def _evict(self) -> None:
        # In the order of use, so that the first one is the one that nobody asked for the longest.
        since = self._clock() - self._idle_seconds
        while self._at_hand and (
            len(self._at_hand) > self._max_memories or next(iter(self._at_hand.values()))[1] < since
        ):
            self._at_hand.popitem(last=False)


class ScopedMemory(Managed[BaseMemory]):
    """A memory for the time of a block; each `with` begins anew."""

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
        raise ConversationIdError(
            f"which conversation? Its id must be a text that is not empty, not {conversation_id!r}. There is no "
            "default that all share: pass the id of the user's chat, or use provider.scope() for one of its own"
        )
    return conversation_id
