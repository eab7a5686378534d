"""The interface of stores, which keep the log of each conversation and the states that strategies derived from it."""

import contextlib
import json
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from memzoo.errors import OptionError, UnsupportedError

__all__ = [
    "ANSWER",
    "JSON",
    "SAID_AT",
    "UNFINISHED",
    "Entries",
    "Entry",
    "Lease",
    "LeasingStore",
    "ManagedStore",
    "Message",
    "Record",
    "StateUpdate",
    "Store",
    "StoredState",
    "is_lasting",
    "managed",
    "utc_now",
]

ANSWER = "@answer"
"""The field of an answer with its model and its cost, as JSON."""

UNFINISHED: Mapping[str, str] = {ANSWER: '{"unfinished": true}'}
"""The fields of an answer that was stopped half-way: `Record({"role": "assistant", ...}, UNFINISHED)`."""

SAID_AT = "@said_at"
"""The field with the time of a message said before it was stored, in ISO 8601 with a time zone; "" if unknown."""

JSON: TypeAlias = Any
"""Anything that survives `json.dumps` and `json.loads` unchanged."""

Message: TypeAlias = dict[str, Any]
"""An OpenAI chat message: a dict with a `role` and, as a rule, a `content`."""


# Not frozen, because that would more than double the time to make one, and each save makes several.
@dataclass(slots=True)
class Record:
    """A message to append to a log. It never changes.

    Attributes:
        message: The OpenAI chat message.
        fields: The named inputs or outputs that came with the message, in their order; `None` stands for the content of
            the message itself. Empty if nobody asked to keep them. A name that begins with "@" belongs to a host, which
            keeps its own form of the message there: no view, search or model sees it.
    """

    message: Message
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


@dataclass(slots=True)
class Entry:
    """A message in a log. It never changes.

    Attributes:
        seq: Its number in the conversation, from 1, in the order of storing. Numbers are never reused, so forgotten
            messages leave gaps.
        message: The OpenAI chat message.
        turn_id: The id of its turn; messages saved together share it.
        created_at: The time of storing, or of saying for a message that was imported with its time; always with a time
            zone (UTC). Ages are computed from it.
        fields: As in `Record`.
    """

    seq: int
    message: Message
    turn_id: str
    created_at: datetime
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    @property
    def said_at(self) -> datetime | None:
        """The time when it was said, with a time zone; `None` if unknown, as for messages imported without a time."""
        if (told := self.fields.get(SAID_AT)) is None:
            return self.created_at
        with contextlib.suppress(ValueError, OverflowError):
            return said_at.astimezone(UTC) if (said_at := datetime.fromisoformat(told)).tzinfo else None
        return None

    @property
    def model(self) -> str | None:
        """The model of this answer, in its endpoint's words; `None` unless a `Conversation` got it."""
        return self.answered.get("model")

    @property
    def usage(self) -> dict[str, float] | None:
        """The cost of this answer, by the names of `memzoo.types.Spent`; `None` unless a `Conversation` got it."""
        return self.answered.get("usage")

    @property
    def unfinished(self) -> bool:
        """True for an answer that was stopped half-way."""
        return bool(self.answered.get("unfinished"))

    @property
    def answered(self) -> dict[str, Any]:
        """Those of `model`, `usage` and `unfinished` that are known, by name."""
        told: dict[str, Any] = json.loads(self.fields.get(ANSWER) or "{}")
        return told


class Entries(list[Entry]):
    """A part of a log, as `Store.read` returns it: a list that also knows the epoch of the conversation.

    Attributes:
        epoch: Stays equal until something is deleted from the conversation or restored into it, so a reader that keeps
            entries knows when to read them again. A conversation that was cleared and begun again has another epoch;
            all conversations that do not exist have the same one.
        revision: Within an epoch, stays equal until a state of the conversation is committed, so a reader that keeps
            states knows when to read them again. `None` if the store does not tell.
    """

    __slots__ = ("epoch", "revision")

    def __init__(self, entries: Iterable[Entry] = (), epoch: Hashable = 0, revision: Hashable = None) -> None:
        """Make a list of these entries."""
        super().__init__(entries)
        self.epoch = epoch
        self.revision = revision


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """The changes in a derived state since a reader's last look.

    Attributes:
        version: Hand it to `Store.commit`; it grows with each commit, and never goes back, not even after a clear.
        watermark: The last log number that the state has taken in; 0 for none.
        changes: Items that changed after the requested version, in any order; `None` marks a removed one.
        reset: True if the state was cleared after the requested version: drop your copy and start again from `changes`.
    """

    version: int
    watermark: int
    changes: Mapping[str, JSON]
    reset: bool


@dataclass(frozen=True, slots=True)
class StoredState:
    """A whole derived state, as it moves from store to store.

    Attributes:
        watermark: As in `StateUpdate`.
        items: Its items by key.
        embeddings: Embeddings by log number, as in `Store.commit`.
    """

    watermark: int
    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@runtime_checkable
class Store(Protocol):
    """Keeps logs and derived states, under the ids of conversations.

    Any number of memories share a store. Its methods are coroutines that suspend only when `memzoo.sync.is_blocking` is
    false. Messages are immutable from here on: nobody changes a record after passing it in, or an entry that was
    returned, so nobody need copy them. The caller owns the lists and states that methods return.

    `memzoo.testing.PlainStoreContract` states all rules as tests; run it over your own store, or `StoreContract`
    over a `ManagedStore`.
    """

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """Append records as one turn, all or none, and return their entries in the log.

        When it returns, a durable store has them on disk. If the conversation already has this `turn_id`, it changes
        nothing and returns the entries of that turn. If that turn was forgotten (see `memzoo.stores.TombstoneStore`),
        it stores and returns nothing.
        """
        ...

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Entry]:
        """Return the entries numbered above `after` and up to `until`, oldest first, and the epoch.

        A reader that keeps entries asks for those `after` its last one: one cheap read brings the new entries, and a
        changed `Entries.epoch` says that older ones were deleted or replaced. Read both from one snapshot. A store may
        return a plain list; readers then read the whole log each time.

        Args:
            conversation_id: The conversation to read; an unknown one is empty.
            after: Only numbers greater than this.
            until: Only numbers up to this; `None` for no bound.
            limit: The most entries to return; `None` for all.
            newest: If `limit` cuts, keep the newest instead of the oldest (the order stays oldest first).
        """
        ...

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """Return what changed in the state of a strategy after version `since` (0: everything)."""
        ...

    async def commit(
        self,
        conversation_id: str,
        strategy: str,
        *,
        expected: int,
        watermark: int,
        changes: Mapping[str, JSON],
        embeddings: Mapping[int, bytes] | None = None,
    ) -> int:
        """Change items of a state and move its watermark in one step, if its version is still `expected`.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The strategy that owns the state, or a name of its choice.
            expected: The version that the change was derived from.
            watermark: The last log number that the state now takes in.
            changes: New values of items by key; `None` removes an item.
            embeddings: Embeddings by log number (float32, little-endian), kept with this state.

        Returns:
            The new version.

        Raises:
            ConflictError: The state has another version; nothing was changed.
        """
        ...

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """Delete everything in a conversation: log, states, embeddings, tombstones. Numbers start at 1 again.

        Args:
            conversation_id: The conversation to delete; an unknown one is not an error.
            only_empty: Delete only if it has no messages (left), and keep its tombstones.
        """
        ...

    def close(self) -> None:
        """Release files and connections. A closed store cannot be used again."""
        ...


@runtime_checkable
class ManagedStore(Store, Protocol):
    """A store that also manages its data: lists it, deletes parts of it, moves it, and returns embeddings.

    All of memzoo's stores are of this kind. Over a plain `Store`, a memory saves, loads and learns; anything that needs
    one of these methods raises an `UnsupportedError` that names it.
    """

    async def conversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
        behind: str | None = None,
    ) -> list[str]:
        """Return the ids of conversations that have messages, in order (see `memzoo.stores.common.escaped`).

        Args:
            after: Only ids after this one, to read a long list page by page; `None` for all.
            limit: The most ids to return; `None` for all.
            idle_since: Only conversations whose newest message is older than this time, which has a time zone.
            prefix: Only ids with this prefix; the store looks at no others.
            behind: Only conversations with a message that the state of this name has not taken in yet.
        """
        ...

    async def count(self, conversation_id: str) -> int:
        """Return the number of messages in a conversation, without reading them."""
        ...

    async def states(self, conversation_id: str) -> list[str]:
        """Return the names of a conversation's stored states, sorted."""
        ...

    async def forget(self, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
        """Delete messages for good, with their embeddings; their numbers are never reused.

        A `memzoo.stores.TombstoneStore` also never stores their turns again.

        Args:
            conversation_id: The conversation to delete from.
            seqs: The messages' log numbers; numbers that are not there are ignored.
            derived: Also delete the states that may have learnt from them: clear each state whose watermark has reached
                the first of them, and make every reader start afresh. Only a state that consists of embeddings keeps
                its watermark and the embeddings of other messages. If false, all states stay as they are.

        Returns:
            The numbers removed, in order.
        """
        ...

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """Return the embeddings committed with a state, for log numbers greater than `after`, in order."""
        ...

    async def restore(self, conversation_id: str, entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
        """Write a conversation exactly as it was, all or nothing: numbers, turn ids, times, states.

        Args:
            conversation_id: The id of a conversation that does not exist yet.
            entries: Its log, at least one message, in ascending order of numbers.
            states: Its states by name.

        Raises:
            ConflictError: The conversation exists already; nothing was changed.
            StoreError: There are no entries, or their numbers do not ascend from 1.
        """
        ...

    async def scrub(self, *, thorough: bool = False) -> bool:
        """Remove traces of deleted data from the store's files, unless that would make others wait.

        Args:
            thorough: Rewrite the files, so that no copies remain that the database made when it moved data. This takes
                as long as copying the files, and others wait.

        Returns:
            True if no traces are left; False if files were not rewritten yet, or another process blocks that.
        """
        ...


class Lease(NamedTuple):
    """The exclusive right to derive a state for a while.

    Attributes:
        owner: The owner's unique name.
        token: Grows each time another owner gets the lease of this state.
    """

    owner: str
    token: int


@runtime_checkable
class LeasingStore(Store, Protocol):
    """A store that lets one process at a time derive a state, so that no model is asked twice.

    All of memzoo's stores that processes can share are of this kind. A lease prevents no writes: a commit depends on
    its version alone.
    """

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """Take the lease of a state, or renew it; the store's clock decides when a lease has ended.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The state's name.
            owner: The unique name of the owner that asks.
            seconds: How long it lasts from now, unless it is renewed or released first.

        Returns:
            The current lease, which may be another owner's. `None` if the conversation does not exist.
        """
        ...

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """End the lease of a state, if this owner has it. `clear` and `forget` end all leases of a conversation."""
        ...


def methods_lacking(store: object) -> list[str]:
    """Return the methods of a `Store` that an object does not have."""
    return [name for name in vars(Store) if name[0] != "_" and not callable(getattr(store, name, None))]


def find_lacking(store: Store, method: str) -> Store | None:
    """Return the store that lacks a method of `ManagedStore`, if any: this one, or one that it wraps (`within`)."""
    if not hasattr(store, method):
        return store
    within: object = getattr(store, "within", None)
    return find_lacking(within, method) if within is not None and isinstance(within, Store) else None


def is_lasting(store: Store) -> bool:
    """Tell whether a store's data outlives the process, which the store declares by `is_lasting = True`."""
    return bool(getattr(store, "is_lasting", False))


def managed(store: Store, method: str) -> ManagedStore:
    """Return a store as a `ManagedStore`, after making sure that it has a method.

    Raises:
        UnsupportedError: The store, or one that it wraps, does not have the method.
    """
    if lacks := find_lacking(store, method):
        raise UnsupportedError(f"this needs a store with the method {method!r}, which {type(lacks).__name__} lacks")
    return cast("ManagedStore", store)


def read_clock(clock: Callable[[], datetime]) -> datetime:
    """Return the time of a store's clock, in UTC.

    Raises:
        OptionError: It is before the year 1 or after the year 9999 there.
    """
    now = clock()
    try:
        return now if now.tzinfo is UTC else now.astimezone(UTC)
    except (OverflowError, ValueError):
        raise OptionError(f"clock must tell a time between the years 1 and 9999 in UTC, not {now!r}") from None


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)
