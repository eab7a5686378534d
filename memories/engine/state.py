"""The derived state of one strategy in one conversation, kept in step with the store."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memzoo.memories.engine.locks import FairLock
from memzoo.stores import JSON, StateUpdate, Store

__all__ = ["Changes", "OnStateChange", "State", "StateKeeper"]


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


class OnStateChange(Protocol):
    """Called when a state changed, before anybody sees the new one."""

    def __call__(self, changes: Mapping[str, JSON], *, reset: bool) -> Awaitable[None]:
        """Take in items that changed (`None` for one that went); `reset` says to let go of all before first."""
        ...


class StateKeeper:
    """Knows the newest state, and reads only what changed since it looked last.

    Args:
        store: Where the state is kept.
        conversation_id: The conversation.
        name: The name under which the store keeps the state.
        on_change: Called with each change once, one at a time, in order. What it raises is passed on, and the change
            counts as taken in.
    """

    def __init__(self, store: Store, conversation_id: str, name: str, on_change: OnStateChange) -> None:
        self._store = store
        self._key = (conversation_id, name)
        self._on_change = on_change
        self._lock = FairLock()
        self._state = State()

    async def refresh(self, *, reset: bool = False) -> State:
        """Take in what this or another process committed, and return the state.

        Args:
            reset: Read all of it anew, as after a deletion.
        """
        known = self._state
        if not reset and (await self._store.read_state(*self._key, since=known.version)).version == known.version:
            return self._state
        async with self._lock.held() as held:
            # Nobody to wait for may hold the lock: a call from inside `on_change` gets what is known so far.
            if held:
                known = self._state
                update = await self._store.read_state(*self._key, since=0 if reset else known.version)
                # Who knows nothing yet has nothing to let go of.
                await self._take_in(update, reset=reset or (update.reset and known.version > 0))
        return self._state

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
        async with self._lock.held() as held:
            if held and self._state.version == state.version:
                await self._take_in(StateUpdate(version, watermark, changes.items, reset=False), reset=False)
                return self._state
        return await self.refresh()

    async def _take_in(self, update: StateUpdate, *, reset: bool) -> None:
        known = self._state
        if not reset and update.version == known.version:
            return
        items = {} if reset else dict(known.items)
        items.update(update.changes)
        kept = {key: value for key, value in items.items() if value is not None}
        try:
            await self._on_change(update.changes, reset=reset)
        finally:
            self._state = State(kept, update.watermark, update.version, known.epoch + reset)
