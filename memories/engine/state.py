"""The state of a strategy: values that never change, and a copy that is kept in step with the store."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeAlias, cast

from memzoo.forks import new_lock
from memzoo.memories.engine.locks import FairLock
from memzoo.stores import JSON, StateUpdate, Store

__all__ = ["ATTEMPTS", "Attempts", "CachedState", "Changes", "StagedState", "State"]

ATTEMPTS = "attempts:"
"""The item of a state that keeps them. No strategy sees it."""

# `BaseMemory.on_state_change`.
_OnStateChange: TypeAlias = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Changes:
    """New items and embeddings of a state.

    Attributes:
        items: New values of items by key; `None` for an item that goes.
        embeddings: Embeddings by log number, float32 little-endian.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts to learn from waiting messages. It never changes; each outcome makes a new one.

    It is committed with the state that it belongs to, so the next call, or another process, goes on from there.

    Attributes:
        first: The number of the first message of the step that failed last; 0 if none did.
        failures: The failures of the model since it last worked.
        at: The time of the last failure, in seconds.
        exchanges: The most exchanges in a step; 0 for any number that fits.
        tries: The failures of the first exchange by itself.
        answered: 1 if the last failure was a bad reply: the model is there then.
        prompt_tokens: The most tokens in a prompt, if an endpoint has said so; else 0.
        aside: The first and last numbers of exchanges that were set aside.
    """

    first: int = 0
    failures: int = 0
    at: float = 0.0
    exchanges: int = 0
    tries: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    aside: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_json(cls, value: JSON) -> "Attempts":
        """Read the output of `as_json`. Anything else, as from an edited file, counts as nothing."""
        given: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
        numbers = {field.name: given.get(field.name, 0) for field in fields(cls) if field.name != "aside"}
        ranges: list[Any] = given["aside"] if isinstance(given.get("aside"), list) else []
        aside = tuple((one[0], one[1]) for one in ranges if _is_range(one))
        sound = all(_is_number(number, float if name == "at" else int) for name, number in numbers.items())
        return cls(**numbers, aside=aside) if sound else cls(aside=aside)

    def as_json(self) -> JSON:
        """Return the values that differ from the initial ones; `None` if none does."""
        known = asdict(self) | {"aside": [list(one) for one in self.aside]}
        return {name: value for name, value in known.items() if value} or None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one moment. It never changes; a commit makes a new one.

    Attributes:
        items: Its items by key.
        watermark: The last log number that the items have taken in.
        version: As in `StateUpdate`.
        epoch: Counts the fresh starts of the state after it was cleared.
        attempts: The attempts to learn; kept with the items in the store.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    watermark: int = 0
    version: int = 0
    epoch: int = 0
    attempts: Attempts = field(default_factory=Attempts)


def _is_number(value: object, kind: type[float]) -> bool:
    return isinstance(value, (int, kind)) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_range(value: object) -> bool:
    """Tell if a value is the first and the last number of an exchange."""
    if not isinstance(value, list):
        return False
    pair: list[Any] = value
    return len(pair) == 2 and all(type(one) is int for one in pair) and 0 < pair[0] <= pair[1] < 2**53  # noqa: PLR2004


class CachedState:
    """Holds the newest state, and reads only changes.

    Args:
        store: Keeps the state.
        conversation_id: The conversation.
        name: The name under which the store keeps the state.
        on_change: Called with each change of items once, one at a time, in order. Its errors are passed on, and the
            change counts as applied. `None` for no call.
    """

    def __init__(self, store: Store, conversation_id: str, name: str, on_change: _OnStateChange | None) -> None:
        self._store = store
        self._key = (conversation_id, name)
        self._on_change = on_change
        self._order = FairLock()
        self._guard = new_lock()
        self._state = State()

    @property
    def newest(self) -> State:
        """The state as it was last seen."""
        return self._state

    async def refresh(self, *, reset: bool = False) -> State:
        """Take in the commits of this and other processes, and return the state.

        Args:
            reset: Read all of it anew, as after a deletion.
        """
        known = self._state
        update = await self._store.read_state(*self._key, since=0 if reset else known.version)
        if update.version == known.version and not reset:
            return self._state
        return await self._take_in(known, update, reset=reset)

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Store changes that follow from `state` and the log up to `watermark`, and return the new state.

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
                new = self._state_after(update, reset=reset)
                changes = {key: value for key, value in update.changes.items() if key != ATTEMPTS}
                try:
                    # Who knew nothing has nothing to let go of.
                    await self._on_change(changes, reset=reset or (update.reset and known.version > 0))
                finally:
                    with self._guard:
                        self._state = new
                return self._state
        return await self.refresh(reset=reset)

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
        newest: The current state.
        embeddings: Its embeddings.

    Args:
        state: The state to begin with.
        heard: Called after each step with the last log number that the state covers.
    """

    def __init__(self, state: State, heard: Callable[[int], None] = lambda _: None) -> None:
        self.newest = state
        self.embeddings: dict[int, bytes] = {}
        self._heard = heard

    async def refresh(self, *, reset: bool = False) -> State:
        """The current state; nothing else changes it."""
        return self.newest

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Keep the changes."""
        items = {key: value for key, value in {**state.items, **changes.items}.items() if value is not None}
        self.embeddings |= changes.embeddings
        self.newest = State(items, watermark, attempts=attempts or state.attempts)
        self._heard(watermark)
        return self.newest
