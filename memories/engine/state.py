"""The derived state of one strategy in one conversation, kept in step with the store."""

import asyncio
import contextlib
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from memzoo.memories.engine.locks import Shared
from memzoo.stores import JSON, StateUpdate, Store
from memzoo.stores.driving import is_blocking

__all__ = ["Changes", "State", "StateKeeper", "Turnstile", "turnstiles"]


@dataclass(frozen=True, slots=True)
class Changes:
    """What a strategy learnt.

    Attributes:
        items: New values of items by key; `None` for an item that goes.
        embeddings: Embeddings by log number, float32 little-endian.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True)
class State:
    """A state at one moment. It never changes; a commit makes a new one.

    Attributes:
        items: Its items by key.
        watermark: The last log number that the items have taken in.
        version: As in `StateUpdate`.
        epoch: Counts how often the state had to be started anew, because it was cleared.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    watermark: int = 0
    version: int = 0
    epoch: int = 0


class StateKeeper:
    """Knows the newest state and reads only what changed since it looked last.

    Args:
        store: Where the state is kept.
        conversation_id: Whose state.
        strategy: The strategy's name.
        listener: Called with what changed, and whether all before it is to be forgotten.
    """

    def __init__(
        self,
        store: Store,
        conversation_id: str,
        strategy: str,
        listener: Callable[[Mapping[str, JSON], bool], None],
    ) -> None:
        self._store = store
        self._key = (conversation_id, strategy)
        self._listener = listener
        self._lock = threading.Lock()
        self._state = State()

    async def refresh(self) -> State:
        """Take in what this or another process committed, and return the state."""
        while True:
            known = self._state
            update = await self._store.read_state(*self._key, since=known.version)
            if state := self._advance(known, update):
                return state

    async def commit(self, state: State, changes: Changes, watermark: int) -> State:
        """Store what was learnt from `state` and the log up to `watermark`, and return the new state.

        Raises:
            ConflictError: Another writer was faster; nothing is changed.
        """
        version = await self._store.commit(
            *self._key,
            expected=state.version,
            watermark=watermark,
            changes=changes.items,
            embeddings=changes.embeddings,
        )
        update = StateUpdate(version, watermark, changes.items, reset=False)
        return self._advance(state, update) or await self.refresh()

    def _advance(self, known: State, update: StateUpdate) -> State | None:
        """The state after an update of a known one; `None` if it has moved on meanwhile, so that this is old news."""
        with self._lock:
            if self._state.version != known.version:
                return None
            if update.reset or update.version != known.version:
                self._listener(update.changes, update.reset)
                items = {} if update.reset else dict(known.items)
                items.update(update.changes)
                kept = {key: value for key, value in items.items() if value is not None}
                self._state = State(kept, update.watermark, update.version, known.epoch + update.reset)
            return self._state


class Turnstile:
    """Lets one derivation of a state run at a time, in threads and in tasks, so that no model call is paid twice.

    It is a courtesy, not what correctness rests on: that is the compare-and-swap of the store.
    """

    def __init__(self) -> None:
        self._thread_lock = threading.Lock()
        # An asyncio lock belongs to one loop; a memory may be used in several, one after the other.
        self._task_locks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def busy(self) -> bool:
        """Whether somebody is inside."""
        return self._thread_lock.locked() or any(lock.locked() for lock in self._task_locks.values())

    @contextlib.asynccontextmanager
    async def passed(self) -> AsyncGenerator[None]:
        """Wait for those inside, and be inside. Who is inside and comes again, from within a model, does not wait."""
        if self in _inside.get():
            yield
            return
        lock = self._thread_lock if is_blocking() else self._task_lock()
        if isinstance(lock, asyncio.Lock):
            await lock.acquire()
        else:
            lock.acquire()
        inside = _inside.set(_inside.get() | {self})
        try:
            yield
        finally:
            _inside.reset(inside)
            lock.release()

    def _task_lock(self) -> asyncio.Lock:
        return self._task_locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


_inside: ContextVar[frozenset[Turnstile]] = ContextVar("memzoo_inside", default=frozenset())

turnstiles: Shared[Turnstile] = Shared(lambda *_: Turnstile())
"""The turnstile of each state, by conversation and name: the same one for all memories that derive it."""
