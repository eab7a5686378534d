"""A store that keeps messages by calling your functions to get, replace and delete a list of messages."""

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from memzoo.forks import new_rlock
from memzoo.stores.base import JSON, Entries, Entry, Message, Record, StateUpdate, utc_now
from memzoo.stores.memory import InMemoryStore
from memzoo.sync import Closing


class MessageListStore(Closing):
    """A `Store` that keeps messages in your own lists, and everything else in the memory of this process.

    When messages are forgotten, or deleted because of `keep_history=False`, a shorter list replaces the old one.
    This store promises less than other stores:

    - The states of strategies, pins, turn ids and times exist only in this process. After a restart, memories learn
      again from the messages, no message is pinned, saving a stored turn again stores it twice, and a forgotten turn
      can be stored again.
    - A list is not protected from other processes: if two processes save to one conversation at the same time, one
      process may overwrite the other's messages.
    - If messages are changed or removed outside this store, log numbers start at 1 again, and all states start empty.
    - A load reads the whole list once. A save reads and rewrites the whole list once; with `keep_history=False`, up to
      twice. Your functions run one at a time, within the load or save, so a slow function blocks the event loop.

    Example:
        >>> from memzoo.memories import create_memory
        >>> lists = {}
        >>> store = MessageListStore(
        ...     get=lambda id_: lists.get(id_, []), update=lists.__setitem__, delete=lambda id_: lists.pop(id_, None)
        ... )
        >>> memory = create_memory("buffer", store=store, conversation_id="user-42")
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> lists["user-42"]
        [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'hello'}]
    """

    is_lasting = True
    """The data outlives the process."""

    def __init__(
        self,
        *,
        get: Callable[[str], Sequence[Message]],
        update: Callable[[str, list[Message]], object],
        delete: Callable[[str], object],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Make a store that calls your functions, which correspond to those of LangChain4j's `ChatMemoryStore`.

        Args:
            get: Like `getMessages`, returns all messages of a conversation; for an unknown conversation, an empty list.
            update: Like `updateMessages`, replaces all messages of a conversation.
            delete: Like `deleteMessages`, deletes a conversation.
            clock: Returns the time, with a time zone, to stamp on each message that the store sees for the first time.
        """
        self._get, self._update, self._delete = get, update, delete
        self._seen = InMemoryStore(clock=clock)
        self._lock = new_rlock()

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        with self._lock:
            before = await self._look(conversation_id)
            entries = await self._seen.append(conversation_id, records, turn_id=turn_id)
            log = await self._seen.read(conversation_id)
            try:
                if len(log) > before:
                    self._update(conversation_id, [entry.message for entry in log])
            except BaseException:
                gone = [entry.seq for entry in entries]
                await self._seen.forget(conversation_id, gone, derived=False, tombstones=False)
                raise
            return entries

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """See `Store.read`."""
        with self._lock:
            await self._look(conversation_id)
            return await self._seen.read(conversation_id, **bounds)

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`. This does not call `get`: memories call `read` first, which calls `get`."""
        return await self._seen.read_state(conversation_id, strategy, since=since)

    async def commit(self, conversation_id: str, strategy: str, *, changes: Mapping[str, JSON], **versions: Any) -> int:
        """See `Store.commit`."""
        return await self._seen.commit(conversation_id, strategy, changes=changes, **versions)

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        with self._lock:
            if not (await self._look(conversation_id) and only_empty):
                self._delete(conversation_id)
                await self._seen.clear(conversation_id, only_empty=only_empty)

    async def forget(self, conversation_id: str, seqs: Collection[int], **how: bool) -> list[int]:
        """See `ManagedStore.forget`; replaces the list with a shorter one."""
        with self._lock:
            await self._look(conversation_id)
            log = await self._seen.read(conversation_id)
            left = [entry.message for entry in log if entry.seq not in seqs]
            if len(left) < len(log):
                self._update(conversation_id, left)
            return await self._seen.forget(conversation_id, seqs, **how)

    async def tombstones(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.tombstones`; the result has only the tombstones that this process made."""
        return await self._seen.tombstones(conversation_id)

    async def states(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.states`."""
        return await self._seen.states(conversation_id)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """Return false: this store cannot remove traces that your own functions leave. See `ManagedStore.scrub`."""
        return False

    async def _look(self, conversation_id: str) -> int:
        """Update the known log from the current list, and return the list's number of messages."""
        seen = await self._seen.read(conversation_id)
        if (looked := _looked.get()) is not None:
            if (key := (id(self), conversation_id)) in looked:
                return len(seen)
            looked.add(key)
        found = list(self._get(conversation_id))
        known = [entry.message for entry in seen]
        if found[: len(known)] != known:
            # Start afresh, except for the forgotten turns.
            await self._seen.forget(conversation_id, [entry.seq for entry in seen], tombstones=False)
            await self._seen.clear(conversation_id, only_empty=True)
            known = []
        for message in found[len(known) :]:
            await self._seen.append(conversation_id, [Record(message)], turn_id=uuid.uuid4().hex)
        return len(found)


_looked: ContextVar[set[tuple[int, str]] | None] = ContextVar("memzoo_looked", default=None)


class looking_once:  # noqa: N801 - read as a verb in `with`; a class, since a generator costs a tenth of a load
    """A context manager for one load or one save. Within it, each list is read only once.

    In `with looking_once() as looked`, `looked` is the set of lists read so far; clear it to have the lists read again.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> set[tuple[int, str]]:
        looked: set[tuple[int, str]] = set()  # set[...]() takes 16 times as long
        self._before = _looked.get()
        _looked.set(looked)
        return looked

    def __exit__(self, *_: object) -> None:
        _looked.set(self._before)


def is_over_lists(store: object) -> bool:
    """Tell whether a store is a `MessageListStore`, or wraps one.

    Log numbers in such a store may change when the process restarts.
    """
    within: object = getattr(store, "within", None)
    return isinstance(store, MessageListStore) or (within is not None and is_over_lists(within))
