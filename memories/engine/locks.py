"""Locks for both threads and tasks, shared by all memories of a conversation in one process."""

import asyncio
import contextlib
import os
import weakref
from asyncio import _get_running_loop  # pyright: ignore[reportPrivateUsage]
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Generic, TypeVar

from memzoo.forks import new_lock
from memzoo.stores import Store
from memzoo.sync import is_blocking

T = TypeVar("T")


class LockOwner:
    """A caller that owns a lock, or waits in the lock's queue.

    Attributes:
        pid: The id of the process.
        loop: The event loop running in the caller's thread, if any.
        task: The calling task, in asynchronous code.
        has_ended: True if the owner's turn ended because its conversation was deleted (see `FairLock.end`).
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = _get_running_loop()
        self.task = asyncio.current_task() if self.loop and not is_blocking() else None
        self.has_ended = False

    def would_deadlock(self, other: "LockOwner") -> bool:
        """Return whether this owner is waiting for the caller `other`, so that `other` must not wait for this owner."""
        if self in _waited_for.get():
            return True
        if other.task:
            return self.task is other.task
        # A synchronous call blocks the event loop of its thread, if one is running.
        return other.loop is not None and self.loop is other.loop

    @contextlib.contextmanager
    def mark_waited_for(self) -> Generator[None]:
        """Mark that this owner waits for the code in the `with` block to finish.

        If that code asks for this owner's lock, each would wait for the other for ever. `would_deadlock` looks for the
        mark to prevent this.
        """
        before = _waited_for.get()
        _waited_for.set(before | {self})
        try:
            yield
        finally:
            _waited_for.set(before)


_waited_for: ContextVar[frozenset[LockOwner]] = ContextVar("memzoo_waited_for", default=frozenset())


class FairLock:
    """A lock granted in the order of the requests; a waiting task does not block its event loop."""

    def __init__(self) -> None:
        self._guard = new_lock()
        self._owner: LockOwner | None = None
        self._queue: deque[tuple[Future[None], LockOwner]] = deque()

    @property
    def is_taken(self) -> bool:
        """True if the lock has an owner in this process; an owner from before a fork does not count."""
        return self._owner is not None and self._owner.pid == os.getpid()

    async def take(self, *, wait: bool = True) -> LockOwner | None:
        """Take the lock, by default after waiting for its release.

        Returns:
            The owner, for `give_back`; `None` if the lock is taken, and the caller cannot or will not wait.
        """
        owner, place = LockOwner(), None
        with self._guard:
            if self._owner is None or not self.is_taken:
                self._owner = owner
                self._queue.clear()
            elif not wait or self._owner.would_deadlock(owner):
                return None
            else:
                place = Future[None]()
                self._queue.append((place, owner))
        if place:
            await self._come_first(place, owner)
        if is_blocking():
            # Tasks can be compared, but a thread may run unrelated code: there the context marks the owner's calls.
            _waited_for.set(_waited_for.get() | {owner})
        return owner

    def give_back(self, owner: LockOwner) -> None:
        """Release the lock, and grant it to the next caller in the queue, if any."""
        _waited_for.set(_waited_for.get() - {owner})
        with self._guard:
            self._owner = None
            while self._queue and self._owner is None:
                place, following = self._queue.popleft()
                if place.set_running_or_notify_cancel():
                    self._owner = following
                    place.set_result(None)

    @contextlib.asynccontextmanager
    async def hold(self) -> AsyncGenerator[bool]:
        """Hold the lock in this block.

        Yields:
            True if the lock is held; False if waiting would never end, as in a nested call.
        """
        owner = await self.take()
        if owner is None:
            yield False
            return
        # As in `LockOwner.mark_waited_for`; giving back undoes it.
        _waited_for.set(_waited_for.get() | {owner})
        try:
            yield True
        finally:
            self.give_back(owner)

    def end(self) -> None:
        """Mark the current owner's turn as ended, so that it stores nothing after its conversation was deleted."""
        if self._owner:
            self._owner.has_ended = True

    async def _come_first(self, place: Future[None], owner: LockOwner) -> None:
        try:
            if is_blocking():
                place.result()
            else:
                await asyncio.wrap_future(place)
        except BaseException:
            # Cancelled too late: the lock was already granted, and goes to the next caller.
            if not place.cancel():
                self.give_back(owner)
            raise


class StateLock:
    """A lock held while a state is derived, to avoid duplicate model calls.

    Threads wait for each other, and asyncio tasks wait for each other. A thread does not wait for a task, because the
    task's event loop may be blocked. One thread and one task may therefore derive the state at the same time; only one
    of the two can commit its result.
    """

    def __init__(self) -> None:
        self._threads = FairLock()
        self._tasks = FairLock()

    @property
    def is_taken(self) -> bool:
        """True if a thread or a task is deriving the state."""
        return self._threads.is_taken or self._tasks.is_taken

    def hold(self) -> contextlib.AbstractAsyncContextManager[bool]:
        """Return a context manager that holds the lock; see `FairLock.hold`."""
        return (self._threads if is_blocking() else self._tasks).hold()


class PerConversation(Generic[T]):
    """Keeps one lock for each conversation in a store, or for each state of a conversation, while the lock is used."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._held: weakref.WeakValueDictionary[tuple[int, tuple[str, ...]], T] = weakref.WeakValueDictionary()
        self._guard = new_lock()

    def of(self, store: Store, *key: str) -> T:
        """Return the lock shared by all callers with this store and key.

        The key is the conversation's id; for the lock of a state, also the state's name.
        """
        place = (id(store), key)
        with self._guard:
            found = self._held.get(place)
            if found is None:
                found = self._held[place] = self._make()
                # Keeps the store alive as long as the object, so that no other store gets the same `id`.
                weakref.finalize(found, id, store)
            return found


state_locks: PerConversation[StateLock] = PerConversation(StateLock)
"""Locks by conversation and state: one derivation of a state at a time."""

turn_locks: PerConversation[FairLock] = PerConversation(FairLock)
"""Locks by conversation: one turn at a time."""
