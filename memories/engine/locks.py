"""Locks for threads and tasks alike, shared by all memories of one conversation in a process."""

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

__all__ = ["FairLock", "LockOwner", "PerConversation", "StateLock", "TurnLock", "state_locks", "turn_locks"]

T = TypeVar("T")


class LockOwner:
    """Owns a lock, or waits for it.

    Attributes:
        loop: The event loop of the thread, if one is running there.
        task: The task that took the lock, in asynchronous code.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = _get_running_loop()
        self.task = asyncio.current_task() if self.loop and not is_blocking() else None

    def waits_for(self, other: "LockOwner") -> bool:
        """Tell if it could not give the lock back while the other one waits for it."""
        if self in _waited_for.get():
            return True
        if other.task:
            return self.task is other.task
        # A synchronous call stops the loop of its thread, if there is one.
        return other.loop is not None and self.loop is other.loop

    @contextlib.contextmanager
    def mark_waited_for(self) -> Generator[None]:
        """Mark the code in this block, in tasks and threads too, as waited for: it must not wait for the lock."""
        before = _waited_for.get()
        _waited_for.set(before | {self})
        try:
            yield
        finally:
            _waited_for.set(before)


_waited_for: ContextVar[frozenset[LockOwner]] = ContextVar("memzoo_waited_for", default=frozenset())


class FairLock:
    """A lock that is given in the order of asking; a task that waits for it does not stop its event loop."""

    def __init__(self) -> None:
        self._guard = new_lock()
        self._owner: LockOwner | None = None
        self._queue: deque[tuple[Future[None], LockOwner]] = deque()

    @property
    def is_taken(self) -> bool:
        """It has an owner, other than a thread of the parent process before a fork."""
        return self._owner is not None and self._owner.pid == os.getpid()

    async def take(self, *, wait: bool = True) -> LockOwner | None:
        """Take the lock, or wait for it.

        Returns:
            The owner, for `give_back`; `None` if somebody else owns it, and waiting is not wanted or would never end.
        """
        owner, place = LockOwner(), None
        with self._guard:
            if self._owner is None or not self.is_taken:
                self._owner = owner
                self._queue.clear()
            elif not wait or self._owner.waits_for(owner):
                return None
            else:
                place = Future[None]()
                self._queue.append((place, owner))
        if place:
            await self._come_first(place, owner)
        if is_blocking():
            # A task is known by itself, but a thread may do other things in between: what counts is who calls whom.
            _waited_for.set(_waited_for.get() | {owner})
        return owner

    def give_back(self, owner: LockOwner) -> None:
        """Give the lock to the next in the queue, if anybody waits."""
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
        """Own the lock in this block. Calls inside the block, which it waits for, pass without it.

        Yields:
            True if it is owned; False if the wait would never end.
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

    async def _come_first(self, place: Future[None], owner: LockOwner) -> None:
        try:
            if is_blocking():
                place.result()
            else:
                await asyncio.wrap_future(place)
        except BaseException:
            # Cancelled too late: the lock was given already, and goes to the next one.
            if not place.cancel():
                self.give_back(owner)
            raise


class StateLock:
    """Lets one derivation of a state run at a time, in threads and in tasks, so that each model call is paid for once.

    It only saves money: correctness rests on the compare-and-swap of the store. A thread does not
    wait for a task, whose event loop may take any time.
    """

    def __init__(self) -> None:
        self._threads = FairLock()
        self._tasks = FairLock()

    @property
    def is_taken(self) -> bool:
        """A derivation is running."""
        return self._threads.is_taken or self._tasks.is_taken

    def hold(self) -> contextlib.AbstractAsyncContextManager[bool]:
        """See `FairLock.hold`."""
        return (self._threads if is_blocking() else self._tasks).hold()


class TurnLock(FairLock):
    """Lets one turn of a conversation run at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._ended: LockOwner | None = None

    def end(self) -> None:
        """Tell the owner that the conversation is deleted: the rest of the turn is not to be stored."""
        self._ended = self._owner

    def is_ended(self, owner: LockOwner) -> bool:
        """Return true for an owner that `end` was called for."""
        return self._ended is owner


class PerConversation(Generic[T]):
    """One object for each store object and key, as long as somebody holds it.

    Args:
        make: Makes the object for a key.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._held: weakref.WeakValueDictionary[tuple[int, tuple[str, ...]], T] = weakref.WeakValueDictionary()
        self._guard = new_lock()

    def of(self, store: Store, *key: str) -> T:
        """The object shared by all callers with this store and key."""
        place = (id(store), key)
        with self._guard:
            found = self._held.get(place)
            if found is None:
                found = self._held[place] = self._make()
                # Holds the store, so that nothing else gets its identity while the object lives.
                weakref.finalize(found, id, store)
            return found


state_locks: PerConversation[StateLock] = PerConversation(StateLock)
"""By conversation and state: one derivation of a state at a time."""

turn_locks: PerConversation[TurnLock] = PerConversation(TurnLock)
"""By conversation: one turn at a time."""
