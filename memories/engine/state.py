"""The state of a strategy: immutable values, and a copy kept in step with the store."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeAlias, cast

from memzoo.forks import cached_property, new_lock
from memzoo.memories.engine.locks import FairLock
from memzoo.stores import JSON, StateUpdate, Store

ATTEMPTS = "attempts:"
"""The key of the state's item that keeps the `Attempts`. No strategy sees this item."""

# `BaseMemory.on_state_change`.
_OnStateChange: TypeAlias = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Changes:
    """New items and embeddings of a state.

    Attributes:
        items: A dict from key to new item; `None` for an item to delete.
        embeddings: A dict from log number to new embedding (float32, little-endian).
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True)
class Attempts:
    """The attempts to learn from waiting messages, as an immutable value.

    They are stored with the state, so that the next call or another process goes on from there.

    Attributes:
        first: The log number of the first message of the newest failed step; 0 without a failed step.
        failures: The number of failures of the model since it last worked.
        at: The time of the last failure, in seconds.
        exchanges: The maximum number of exchanges in the next step; 0 for any number that fits.
        tries: The number of failed steps that had only the first waiting exchange.
        answered: 1 if the last failure was a bad reply, which shows that the model works; else 0.
        prompt_tokens: The maximum number of tokens in a prompt, if an endpoint has refused a longer prompt; else 0.
        aside: The set-aside exchanges, each a pair of the first and last log number.
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
        """Read the output of `as_json`; invalid values, for example from an edited file, are ignored."""
        given: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
        numbers = {field.name: given.get(field.name, 0) for field in fields(cls) if field.name != "aside"}
        ranges: list[Any] = given["aside"] if isinstance(given.get("aside"), list) else []
        aside = tuple((one[0], one[1]) for one in ranges if _is_range(one))
        sound = all(_is_number(number, float if name == "at" else int) for name, number in numbers.items())
        return cls(**numbers, aside=aside) if sound else cls(aside=aside)

    def as_json(self) -> JSON:
        """Return the values that differ from the defaults; `None` if all are defaults."""
        known = asdict(self) | {"aside": [list(one) for one in self.aside]}
        return {name: value for name, value in known.items() if value} or None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one moment: an immutable value, replaced after each commit.

    Attributes:
        items: A dict from key to learnt value (JSON), such as a note or a fact.
        watermark: The last log number learnt from.
        version: The state's version in the store.
        epoch: The number of times that the state started again from nothing.
        attempts: The attempts to learn; kept with the items in the store.
    """

    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    watermark: int = 0
    version: int = 0
    epoch: int = 0
    attempts: Attempts = field(default_factory=Attempts)


NO_STATE = State()
"""The state before anything is learnt. It is made once, since a memory is opened for each request."""


def _is_number(value: object, kind: type[float]) -> bool:
    return isinstance(value, (int, kind)) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_range(value: object) -> bool:
    """Return whether a value is a valid pair of the first and last numbers of an exchange."""
    if not isinstance(value, list):
        return False
    pair: list[Any] = value
    return len(pair) == 2 and all(type(one) is int for one in pair) and 0 < pair[0] <= pair[1] < 2**53  # noqa: PLR2004


class CachedState:
    """Holds the newest known state, and reads only changes from the store.

    Args:
        store: The store that keeps the state.
        conversation_id: The conversation.
        name: The name under which the store keeps the state.
        on_change: Called with each change of items, in order, one call at a time; `None` for no call.
    """

    def __init__(self, store: Store, conversation_id: str, name: str, on_change: _OnStateChange | None) -> None:
        self._store = store
        self._key = (conversation_id, name)
        self._on_change = on_change
        self._guard = new_lock()
        self._state = NO_STATE

    @cached_property
    def _order(self) -> FairLock:
        return FairLock()

    @property
    def newest(self) -> State:
        """The newest known state; other processes may have committed since."""
        return self._state

    async def refresh(self, *, reset: bool = False) -> State:
        """Read the commits of this and other processes, and return the newest state.

        Args:
            reset: True to read the whole state again, as after a deletion.
        """
        known = self._state
        update = await self._store.read_state(*self._key, since=0 if reset else known.version)
        if update.version == known.version and not reset:
            return self._state
        return await self._take_in(known, update, reset=reset)

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Store the changes that were derived from `state` and the log up to `watermark`; return the new state.

        Raises:
            ConflictError: Another writer committed first; nothing is changed.
        """
        items = changes.items
        if attempts is not None and attempts != state.attempts:
            items = {**items, ATTEMPTS: attempts.as_json()}
        version = await self._store.commit(
            *self._key, expected=state.version, watermark=watermark, changes=items, embeddings=changes.embeddings
        )
        return await self._take_in(state, StateUpdate(version, watermark, items, reset=False), reset=False)

    async def _take_in(self, known: State, update: StateUpdate, *, reset: bool) -> State:
        """Apply an update to a known state, and return the new state; if another call was faster, refresh instead."""
        # A commit of embeddings alone, the most common kind, changes no items that `on_change` could follow.
        if self._on_change is None or not (update.changes or update.reset or reset):
            with self._guard:
                if self._state.version == known.version:
                    self._state = self._state_after(update, reset=reset)
                    return self._state
            return await self.refresh(reset=reset)
        async with self._order.hold() as held:
            # A call from inside `on_change` cannot wait for the lock, and gets the state known so far.
            if not held:
                return self._state
            if self._state.version == known.version:
                new = self._state_after(update, reset=reset)
                changes = {key: value for key, value in update.changes.items() if key != ATTEMPTS}
                try:
                    # At version 0, `on_change` has nothing to drop.
                    await self._on_change(changes, reset=reset or (update.reset and known.version > 0))
                finally:
                    with self._guard:
                        self._state = new
                return self._state
        return await self.refresh(reset=reset)

    def _state_after(self, update: StateUpdate, *, reset: bool) -> State:
        known, anew = self._state, reset or update.reset
        items = {} if anew else dict(known.items)
        # Copied as a whole, and only changed items are checked: a state may have many thousands of items.
        items.update(update.changes)
        for gone in [ATTEMPTS, *(key for key, value in update.changes.items() if value is None)]:
            items.pop(gone, None)
        attempts = NO_STATE.attempts if anew else known.attempts
        if ATTEMPTS in update.changes:
            attempts = Attempts.from_json(update.changes[ATTEMPTS])
        return State(items, update.watermark, update.version, known.epoch + anew, attempts)


class StagedState:
    """Keeps an unfinished state in memory, with the methods of `CachedState`.

    Attributes:
        newest: The current state.
        embeddings: A dict from log number to embedding.

    Args:
        state: The initial state.
        heard: Called after each commit with the state's watermark.
        on_change: Called with the changed items of each commit.
    """

    def __init__(self, state: State, heard: Callable[[int], None], on_change: _OnStateChange) -> None:
        self.newest = state
        self.embeddings: dict[int, bytes] = {}
        self._heard = heard
        self._on_change = on_change

    async def refresh(self, *, reset: bool = False) -> State:
        """Return the current state, which no other writer changes."""
        return self.newest

    async def commit(self, state: State, changes: Changes, watermark: int, attempts: Attempts | None = None) -> State:
        """Apply changes, and return the new state."""
        items = {key: value for key, value in {**state.items, **changes.items}.items() if value is not None}
        self.embeddings |= changes.embeddings
        await self._on_change(changes.items, reset=False)
        self.newest = State(items, watermark, attempts=attempts or state.attempts)
        self._heard(watermark)
        return self.newest
