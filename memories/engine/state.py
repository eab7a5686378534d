"""The derived state of one strategy in one conversation: the hooks that make it, and what keeps it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from memzoo.forks import new_lock
from memzoo.memories.engine.locks import FairLock
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.patience import ATTEMPTS, Attempts
from memzoo.stores import JSON, Entry, StateUpdate, Store

__all__ = ["Changes", "Draft", "Hooks", "OnStateChange", "State", "StateKeeper", "hooks_of"]


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
        attempts: What became of the attempts to learn; kept with the items in the store.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    watermark: int = 0
    version: int = 0
    epoch: int = 0
    attempts: Attempts = field(default_factory=Attempts)


class OnStateChange(Protocol):
    """Called when a state changed, before anybody sees the new one."""

    def __call__(self, changes: Mapping[str, JSON], *, reset: bool) -> Awaitable[None]:
        """Take in items that changed (`None` for one that went); `reset` says to let go of all before first."""
        ...


class Hooks(NamedTuple):
    """What a strategy gives to the engine.

    Attributes:
        derive: Learns from entries that the state has not taken in.
        due: Whether the entries that wait, if they are all there are, are to be learnt from now; or how many of them.
        on_state_change: Called when the state changed; see `StateKeeper`. `None` if nothing is kept beside the state.
        derives: Whether `derive` is called at all; otherwise the state is what the strategy itself puts there.
        learns_system: Whether system messages are among the entries; otherwise they are no part of what was said.
    """

    derive: Callable[[State, Sequence[Entry], Log], Awaitable[Changes]]
    due: Callable[[State, Sequence[Entry]], bool | int]
    on_state_change: OnStateChange | None
    derives: bool
    learns_system: bool


def hooks_of(memory: Any, base: type, *, derives: bool, learns_system: bool) -> Hooks | None:
    """The hooks of a memory whose class overrides those of a base; `None` if it keeps no state.

    Args:
        memory: Has the hooks.
        base: Has them as they are by default.
        derives: See `Hooks`.
        learns_system: See `Hooks`.
    """
    learns, follows = (getattr(type(memory), one) is not getattr(base, one) for one in ("derive", "on_state_change"))
    on_state_change = memory.on_state_change if follows else None
    return Hooks(memory.derive, memory.due, on_state_change, derives, learns_system) if learns else None


class StateKeeper:
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
        return await self._taken_in(known, update, reset=reset)

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
        return await self._taken_in(state, StateUpdate(version, watermark, items, reset=False), reset=False)

    async def _taken_in(self, known: State, update: StateUpdate, *, reset: bool) -> State:
        """The state after an update of a known one; if it has moved on meanwhile, as it is by now."""
        # An embedding that came with no item is nothing to follow, and the commonest commit of all.
        if self._on_change is None or not (update.changes or update.reset or reset):
            with self._guard:
                if self._state.version == known.version:
                    self._state = self._after(update, reset=reset)
                    return self._state
            return await self.refresh(reset=reset)
        async with self._order.held() as held:
            # Nobody to wait for may hold the lock: a call from inside `on_change` gets what is known so far.
            if not held:
                return self._state
            if self._state.version == known.version:
                await self._announced(self._after(update, reset=reset), update, self._on_change, reset=reset)
                return self._state
        return await self.refresh(reset=reset)

    async def _announced(self, new: State, update: StateUpdate, on_change: OnStateChange, *, reset: bool) -> None:
        if new is self._state:
            return
        try:
            # Who knew nothing has nothing to let go of.
            changes = {key: value for key, value in update.changes.items() if key != ATTEMPTS}
            await on_change(changes, reset=reset or (update.reset and self._state.version > 0))
        finally:
            with self._guard:
                self._state = new

    def _after(self, update: StateUpdate, *, reset: bool) -> State:
        known, anew = self._state, reset or update.reset
        if not anew and update.version == known.version:
            return known
        items = {} if anew else dict(known.items)
        # Copied at one go, and looked at only where it changed: there may be many thousands of items.
        items.update(update.changes)
        for gone in [ATTEMPTS, *(key for key, value in update.changes.items() if value is None)]:
            items.pop(gone, None)
        attempts = Attempts() if anew else known.attempts
        if ATTEMPTS in update.changes:
            attempts = Attempts.from_json(update.changes[ATTEMPTS])
        return State(items, _covered(items, update.watermark), update.version, known.epoch + anew, attempts)


class Draft:
    """Keeps a state in memory until it is whole, as `StateKeeper` keeps one in the store.

    Attributes:
        newest: The state as it is by now.
        embeddings: Those that belong to it.
    """

    def __init__(self, state: State) -> None:
        self.newest = state
        self.embeddings: dict[int, bytes] = {}

    async def refresh(self, *, reset: bool = False) -> State:
        """The state as it is by now; nobody else changes it."""
        return self.newest

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Keep what was learnt."""
        items = {key: value for key, value in {**state.items, **changes.items}.items() if value is not None}
        self.embeddings |= changes.embeddings
        self.newest = State(items, watermark, state.version + 1, attempts=attempts or state.attempts)
        return self.newest


def _covered(items: Mapping[str, JSON], watermark: int) -> int:
    """How far a state goes: memzoo 0.1's summaries took messages in first, and listed what they did not cover yet."""
    match items:
        case {"summary": str(), "counter": str(), "kept": [[int(first), *_], *_]}:
            return first - 1
        case {"summary": str(), "distilled": int(distilled)}:
            return distilled
        case _:
            return watermark
