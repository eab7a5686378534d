"""What a store is: the log of each conversation, and what strategies derived from it."""

import json
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from memzoo.errors import UnsupportedError

__all__ = [
    "ANSWER",
    "JSON",
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
    "managed",
    "utc_now",
]

ANSWER = "@answer"
"""The field beside an answer that has, as JSON, the model that gave it and what it cost."""

JSON: TypeAlias = Any
"""Anything that survives `json.dumps` and `json.loads` unchanged."""

Message: TypeAlias = dict[str, Any]
"""An OpenAI chat message: a dict with a `role` and, as a rule, a `content`."""


# Not frozen: that would more than double what it takes to make one, and each save makes several.
@dataclass(slots=True)
class Record:
    """A message to be appended to a log. It is never changed.

    Attributes:
        message: The OpenAI chat message.
        fields: The named inputs or outputs that came with the message, in their order; `None` stands for
            the content of the message itself. Empty where nobody asked to keep them. A name that begins with "@" is
            a host's, which keeps its own form of the message there: no view, search or model sees it.
    """

    message: Message
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


@dataclass(slots=True)
class Entry:
    """A message as it stands in a log. It is never changed.

    Attributes:
        seq: Its number in the conversation, from 1, in the order in which messages were stored. Numbers are never used
            again: where messages were forgotten, there are gaps.
        message: The OpenAI chat message.
        turn_id: What was saved together carries the same turn id.
        created_at: When it was stored; always with a time zone (UTC).
        fields: As in `Record`.
    """

    seq: int
    message: Message
    turn_id: str
    created_at: datetime
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    @property
    def model(self) -> str | None:
        """The model that gave this answer, in its endpoint's words; `None` where no `Conversation` got it."""
        return self.answered.get("model")

    @property
    def usage(self) -> dict[str, float] | None:
        """What this answer cost, by the names of `memzoo.Spent`; `None` where no `Conversation` got it."""
        return self.answered.get("usage")

    @property
    def answered(self) -> dict[str, Any]:
        """Both, as members `model` and `usage`, as far as they are known."""
        told: dict[str, Any] = json.loads(self.fields.get(ANSWER) or "{}")
        return told


class Entries(list[Entry]):
    """A part of a log, as `Store.read` returns it: a list that also knows the epoch of the conversation.

    Attributes:
        epoch: Stays equal as long as nothing is deleted from the conversation or restored into it, so that a reader
            that keeps entries knows when to read them again. A conversation that was cleared and begun again has
            another epoch; one that does not exist has the same as any other that does not exist.
        revision: Within an epoch it stays equal as long as no state of the conversation is committed, so that a reader
            that keeps states knows when to read them again. `None` if the store does not tell.
    """

    __slots__ = ("epoch", "revision")

    def __init__(self, entries: Iterable[Entry] = (), epoch: Hashable = 0, revision: Hashable = None) -> None:
        """Make a list of these entries."""
        super().__init__(entries)
        self.epoch = epoch
        self.revision = revision


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """What changed in a derived state since a reader last looked.

    Attributes:
        version: Hand it to `Store.commit`; it changes with each commit and is never used twice.
        watermark: The last log number that the state has taken in; 0 for none.
        changes: Items that changed after the version that was asked for, in no order that can be relied on; `None`
            marks a removed one.
        reset: The state is not a successor of that version (it was cleared): forget it, start from `changes`.
    """

    version: int
    watermark: int
    changes: Mapping[str, JSON]
    reset: bool


@dataclass(frozen=True, slots=True)
class StoredState:
    """A derived state as a whole, as it is moved from store to store.

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

    A store is shared by any number of memories. Its methods are coroutines that suspend only when
    `memzoo.sync.is_blocking` is false. Messages are immutable from here on: nobody changes a record that was handed
    over, or an entry that was returned, so none need be copied. Lists and states that are returned are the caller's.
    `memzoo.stores.testing.PlainStoreContract` states all the rules as tests; run it over a store of your own, or
    `StoreContract` over a `ManagedStore`.
    """

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """Append records as one turn, all or none, and return them as they now stand in the log.

        When it returns, a durable store has them on disk. A `turn_id` that the conversation already has
        changes nothing: the entries of that turn are returned as they were. Nor does one that was forgotten (see
        `memzoo.stores.TombstoneStore`): there are none to return.
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

        A reader that keeps what it has read asks for what comes `after` its last entry: one cheap read brings the new
        entries, and an `Entries.epoch` that has changed says that older ones were deleted or replaced. Read them
        together, from one snapshot. A store may return a plain list, of which a reader then reads all each time.

        Args:
            conversation_id: The conversation to read; an unknown one is empty.
            after: Only numbers greater than this.
            until: Only numbers up to this; `None` for no bound.
            limit: At most so many; `None` for all.
            newest: Where `limit` cuts, keep the newest instead of the oldest (the order stays oldest first).
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
        """Change items of a state and move its watermark, in one step, if its version still is `expected`.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The strategy that owns the state, or a name of its choice.
            expected: The version that the change was derived from.
            watermark: The last log number that is now taken in.
            changes: New values of items by key; `None` removes an item.
            embeddings: Embeddings by log number, float32 little-endian, kept with this state.

        Returns:
            The new version.

        Raises:
            ConflictError: The version is another one; nothing was changed.
        """
        ...

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """Delete all there is of a conversation: log, states, embeddings, tombstones. Numbers start at 1 again.

        Args:
            conversation_id: Which one; an unknown one is no error.
            only_empty: Do so only if it has no message (any more), and keep its tombstones.
        """
        ...

    def close(self) -> None:
        """Give back files and connections. A closed store cannot be used again."""
        ...


@runtime_checkable
class ManagedStore(Store, Protocol):
    """A store that also knows the life of its data: lists it, deletes parts of it, moves it, and keeps embeddings.

    All stores of memzoo are of this kind. A memory over a plain `Store` saves, loads and learns; what needs one of
    these methods is refused with an `UnsupportedError` that names it.
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
        """The ids of conversations that have a message, in order (see `memzoo.stores.common.escaped`).

        Args:
            after: Only ids that follow this one, so that a long list can be read page by page; `None` for all.
            limit: At most so many; `None` for all.
            idle_since: Only conversations whose newest message is older; with a time zone.
            prefix: Only ids that begin so; no others are looked at.
            behind: Only conversations with a message that the state of this name has not taken in yet.
        """
        ...

    async def count(self, conversation_id: str) -> int:
        """How many messages a conversation has, without reading them."""
        ...

    async def states(self, conversation_id: str) -> list[str]:
        """The names of the stored states of a conversation, in order."""
        ...

    async def forget(self, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
        """Delete messages for good, with their embeddings; their numbers are never used again.

        A `memzoo.stores.TombstoneStore` also never stores their turns again.

        Args:
            conversation_id: The conversation to delete from.
            seqs: Their log numbers; those that are not there are passed over.
            derived: What may have been learnt from them goes too: each state whose watermark has reached the first of
                them is cleared, and every reader is told to start anew. Only a state that consists of embeddings keeps
                its watermark and the embeddings of the other messages. Otherwise all states stay as they are.

        Returns:
            The numbers that were removed, in order.
        """
        ...

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """The embeddings committed with a state, for log numbers greater than `after`, in order."""
        ...

    async def restore(self, conversation_id: str, entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
        """Write a conversation as it was, all or nothing: numbers, turn ids, times, states.

        Args:
            conversation_id: A conversation that is not there.
            entries: Its log, at least one message, by rising number.
            states: Its states by name.

        Raises:
            ConflictError: There is such a conversation already; nothing was changed.
            StoreError: There are no entries, or their numbers do not rise from 1 on.
        """
        ...

    async def scrub(self, *, thorough: bool = False) -> bool:
        """Remove the remains of what was deleted from the files of the store, as far as others need not wait.

        Args:
            thorough: Rewrite the files, so that no copy is left that the database made when it moved data around. It
                takes as long as copying them, and others wait.

        Returns:
            Whether nothing is left in files: not so before they were rewritten, or if another process holds one up.
        """
        ...


class Lease(NamedTuple):
    """Who alone is to derive a state for now.

    Attributes:
        owner: By a name that nobody else has.
        token: Greater each time that another owner gets the lease of this state.
    """

    owner: str
    token: int


@runtime_checkable
class LeasingStore(Store, Protocol):
    """A store that lets one of all its processes at a time derive a state, so that a model is not asked twice.

    All stores of memzoo are of this kind. A lease keeps nobody from writing: a commit is refused by its version alone.
    """

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """Take the lease of a state, or renew it; whose it is now is told by the store's clock.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The state's name.
            owner: Who asks for it.
            seconds: How long it lasts from now on, unless it is renewed or released before.

        Returns:
            The lease as it is now: another owner's if that one has it. `None` where there is no such conversation.
        """
        ...

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """End the lease of a state, if this owner has it. `clear` and `forget` end all leases of a conversation."""
        ...


def methods_lacking(store: object) -> list[str]:
    """The methods of a `Store` that an object does not have."""
    return [name for name in vars(Store) if name[0] != "_" and not callable(getattr(store, name, None))]


def lacking(store: Store, method: str) -> Store | None:
    """The store that lacks a method of `ManagedStore`, if one does: this one, or one that it lies over (`within`)."""
    if not hasattr(store, method):
        return store
    within: object = getattr(store, "within", None)
    return lacking(within, method) if isinstance(within, Store) else None


def managed(store: Store, method: str) -> ManagedStore:
    """Make sure that a store has a method of `ManagedStore`.

    Raises:
        UnsupportedError: It has no such method, or lies over a store that has none.
    """
    if lacks := lacking(store, method):
        raise UnsupportedError(f"this needs a store with the method {method!r}, which {type(lacks).__name__} lacks")
    return cast("ManagedStore", store)


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)
