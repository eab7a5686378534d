"""A copy of a strategy's state that is kept in step with the store, and the hooks that a strategy has for it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from memzoo.forks import new_lock
from memzoo.memories.engine.locks import FairLock
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import ATTEMPTS, Attempts, Changes, State
from memzoo.stores import JSON, Entry, StateUpdate, Store

__all__ = ["CachedState", "Hooks", "OnStateChange", "StagedState"]


class OnStateChange(Protocol):
    """Called when a state changed, before anybody sees the new one."""

    def __call__(self, changes: Mapping[str, JSON], *, reset: bool) -> Awaitable[None]:
        """Take in items that changed (`None` for one that went); `reset` says to let go of all before first."""
        ...


class Hooks(Protocol):
    """The hooks of a strategy that learns; `BaseMemory` says more of each."""

    learns_system: bool

    def derive(self, state: State, entries: Sequence[Entry], log: Log, /) -> Awaitable[Changes]:
        """What to learn from new entries."""
        ...

    def due(self, state: State, waiting: Sequence[Entry], /) -> bool | int:
        """Whether to learn now from what waits, or from how many of the oldest."""
        ...

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow the items of the state."""


class CachedState:
    """Knows the newest state, and reads only what changed since it looked last.

    Args:
        store: Where the state is kept.
        conversation_id: The conversation.
        name: The name under which the store keeps the state.
        on_change: Called with each change of items once, one at a time, in order. What it raises is passed on, and the
            change counts as taken in. `None` if nobody has to know.
    """

    def __init__(self, store: Store, conversation_id: str, name: str, on_change: OnStateChange | None) -> None:
        self._store = store
        self._key = (conversation_id, name)
        self._on_change = on_change
        self._order = FairLock()
        self._guard = new_lock()
        self._state = State()

    @property
    def newest(self) -> State:
        """The state as it was when it was looked at last."""
        return self._state

    async def refresh(self, *, reset: bool = False) -> State:
        """Take in what this or another process committed, and return the state.

        Args:
            reset: Read all of it anew, as after a deletion.
        """
        known = self._state
        update = await self._store.read_state(*self._key, since=0 if reset else known.version)
        if update.version == known.version and not reset:
            return self._state
        return await self._take_in(known, update, reset=reset)

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Store what was learnt from `state` and the log up to `watermark`, and return the new state.

        Raises:
            ConflictError: Another writer was faster; nothing is changed.
        """
        items = changes.items
        if attempts is not None and attempts != state.attempts:
            items = {**items, ATTEMPTS: attempts.as_json()}
        version = await self._store.commit(
            *self._key, expected=state.version, watermark=watermark, changes=items, embeddings=changes.embeddings
        )
        return await self._take_in(state, StateUpdate(version, watermark, items, reset=False), reset=False)

    async def _take_in(self, known: State, update: StateUpdate, *, reset: bool) -> State:
        """The state after an update of a known one; if it has moved on meanwhile, as it is by now."""
        # An embedding that came with no item is nothing to follow, and the commonest commit of all.
        if self._on_change is None or not (update.changes or update.reset or reset):
            with self._guard:
                if self._state.version == known.version:
                    self._state = self._state_after(update, reset=reset)
                    return self._state
            return await self.refresh(reset=reset)
        async with self._order.hold() as held:
            # Nobody to wait for may hold the lock: a call from inside `on_change` gets what is known so far.
            if not held:
                return self._state
            if self._state.version == known.version:
                await self._announce(self._state_after(update, reset=reset), update, self._on_change, reset=reset)
                return self._state
        return await self.refresh(reset=reset)

    async def _announce(self, new: State, update: StateUpdate, on_change: OnStateChange, *, reset: bool) -> None:
        try:
            # Who knew nothing has nothing to let go of.
            changes = {key: value for key, value in update.changes.items() if key != ATTEMPTS}
            await on_change(changes, reset=reset or (update.reset and self._state.version > 0))
        finally:
            with self._guard:
                self._state = new

    def _state_after(self, update: StateUpdate, *, reset: bool) -> State:
        known, anew = self._state, reset or update.reset
        items = {} if anew else dict(known.items)
        # Copied at one go, and looked at only where it changed: there may be many thousands of items.
        items.update(update.changes)
        for gone in [ATTEMPTS, *(key for key, value in update.changes.items() if value is None)]:
            items.pop(gone, None)
        attempts = Attempts() if anew else known.attempts
        if ATTEMPTS in update.changes:
            attempts = Attempts.from_json(update.changes[ATTEMPTS])
        return State(items, update.watermark, update.version, known.epoch + anew, attempts)


class StagedState:
    """Keeps a state in memory until it is whole, as `CachedState` keeps one in the store.

    Attributes:
        newest: The state as it is now.
        embeddings: Those that belong to it.

    Args:
        state: What it begins with.
        heard: Told of the last log number that the state has taken in, after each step.
    """

    def __init__(self, state: State, heard: Callable[[int], None] = lambda _: None) -> None:
        self.newest = state
        self.embeddings: dict[int, bytes] = {}
        self._heard = heard

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is now; nobody else changes it."""
        return self.newest

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Keep what was learnt."""
        items = {key: value for key, value in {**state.items, **changes.items}.items() if value is not None}
        self.embeddings |= changes.embeddings
        self.newest = State(items, watermark, state.version + 1, attempts=attempts or state.attempts)
        self._heard(watermark)
        return self.newest
