"""The interface of stores: a store keeps the log of each conversation, and the states derived from the log."""

import contextlib
import json
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, cast, runtime_checkable

from memzoo.errors import OptionError, UnsupportedError

ANSWER = "@answer"
"""The name of the field of a `Record` that holds an answer's model and cost, as JSON."""

SAID_AT = "@said_at"
"""The name of the field for the time of saying, if before the storing: ISO 8601 with a time zone; "" if unknown."""

JSON: TypeAlias = Any
"""Anything that survives `json.dumps` and `json.loads` unchanged."""

Message: TypeAlias = dict[str, Any]
"""An OpenAI chat message: a dict with a `role` and, as a rule, a `content`."""


# Not frozen: freezing would more than double the time to make a record, and each save makes several records.
@dataclass(slots=True)
class Record:
    """A message to append to a log; never changed after creation.

    Attributes:
        message: The OpenAI chat message.
        fields: The inputs or outputs of `save_context`, a dict from name to text; usually empty. The value `None`
            stands for the content of the message. A field whose name begins with "@" holds other data, such as the
            message in the format of an agent framework. No view, search or model sees such a field.
    """

    message: Message
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    @classmethod
    def dated(cls, message: Message, said_at: datetime | None) -> Self:
        """Return the record of an earlier message; `said_at` is `None` if the time is unknown."""
        # Anything else is refused, or read as a time in ISO 8601, when the record is saved.
        return cls(message, {SAID_AT: said_at.isoformat() if isinstance(said_at, datetime) else said_at or ""})

    @classmethod
    def unfinished(cls, message: Message) -> Self:
        """Return the record of an answer that was interrupted."""
        return cls(message, {ANSWER: '{"unfinished": true}'})


@dataclass(slots=True)
class Entry:
    """A message in a log; never changed after creation.

    Attributes:
        seq: The message's number in the conversation, from 1, in the order of storing. Numbers are never reused, so
            forgotten messages leave gaps.
        message: The OpenAI chat message.
        turn_id: The id of the message's turn; messages saved together share the id.
        created_at: The time of storing, in UTC; for an imported message, its original time if known.
        fields: As in `Record`.
    """

    seq: int
    message: Message
    turn_id: str
    created_at: datetime
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])

    @property
    def said_at(self) -> datetime | None:
        """The time at which the message was said, with a time zone; `None` if unknown."""
        if (told := self.fields.get(SAID_AT)) is None:
            return self.created_at
        with contextlib.suppress(ValueError, OverflowError):
            return said_at.astimezone(UTC) if (said_at := datetime.fromisoformat(told)).tzinfo else None
        return None

    @property
    def model(self) -> str | None:
        """The name of the model that gave this answer; `None` unless a `Conversation` got the answer."""
        return self.answered.get("model")

    @property
    def usage(self) -> dict[str, float] | None:
        """The cost of this answer, a dict with the fields of `memzoo.types.Spent`; `None` if unknown."""
        return self.answered.get("usage")

    @property
    def unfinished(self) -> bool:
        """True for an answer that was interrupted."""
        return bool(self.answered.get("unfinished"))

    @property
    def answered(self) -> dict[str, Any]:
        """A dict with `model`, `usage` and `unfinished`, without unknown values."""
        told: dict[str, Any] = json.loads(self.fields.get(ANSWER) or "{}")
        told.pop("counted", None)  # only for the estimate of tokens
        return told


class Entries(list[Entry]):
    """A part of a log, returned by `Store.read`: a list of entries, with the conversation's epoch and revision.

    Attributes:
        epoch: A value that changes when messages are deleted, restored or cleared. Copies of the log are then out of
            date. All conversations that do not exist have the same epoch.
        revision: A value that changes when a state of the conversation is committed. Copies of states are then out of
            date. Compare revisions only within an epoch. `None` if the store has no revisions.
    """

    __slots__ = ("epoch", "revision")

    def __init__(self, entries: Iterable[Entry] = (), epoch: Hashable = 0, revision: Hashable = None) -> None:
        """Make a list of entries."""
        super().__init__(entries)
        self.epoch = epoch
        self.revision = revision


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """The changes to a derived state since a version that the reader knows.

    Attributes:
        version: The state's version, to pass as `expected` to `Store.commit`. Versions grow with each commit and never
            decrease, even after a clear.
        watermark: The last log number that the state covers; 0 if it covers no message.
        changes: The items changed since the reader's version: a dict from key to item, `None` for a removed item.
        reset: True if the state was cleared since the reader's version: drop your copy and start again from `changes`.
    """

    version: int
    watermark: int
    changes: Mapping[str, JSON]
    reset: bool


@dataclass(frozen=True, slots=True)
class StoredState:
    """A complete derived state, for transfer between stores.

    Attributes:
        watermark: The last log number that the state covers; 0 if it covers no message.
        items: A dict from key to item.
        embeddings: A dict from log number to embedding (float32, little-endian).
    """

    watermark: int
    items: Mapping[str, JSON] = field(default_factory=dict[str, Any])
    embeddings: Mapping[int, bytes] = field(default_factory=dict[int, bytes])


@runtime_checkable
class Store(Protocol):
    """Keeps the logs and the derived states of conversations, by conversation id.

    Any number of memories can share a store. The methods are coroutines. They must not suspend while
    `memzoo.sync.is_blocking` is true. Neither the store nor its callers change records or entries. A caller may change
    lists and states that it passed in or received; this does not change the store.

    `memzoo.testing.StoreContract` states all rules as tests. Run these tests on your own store.
    """

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """Append records as one turn, all or none, and return their entries in the log.

        When the call returns, a durable store has the messages on disk. If the conversation already has this `turn_id`,
        nothing changes, and the entries of that turn are returned. If all messages of that turn were
        forgotten (see `ManagedStore.forget`), nothing is stored, and the returned list is empty.
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
        """Return the entries with numbers above `after` and up to `until`, oldest first.

        The result is an `Entries`, which has the conversation's epoch. The store must read entries and epoch from one
        snapshot. It may also return a plain list without an epoch; then the whole log is read each time.

        Args:
            conversation_id: The conversation to read; an unknown conversation is empty.
            after: Return only entries with numbers above this.
            until: Return only entries up to this number; `None` for no bound.
            limit: The maximum number of entries to return; `None` for all.
            newest: With a `limit`, return the newest entries instead of the oldest. The order stays oldest first.
        """
        ...

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """Return the changes to a strategy's state since version `since`; with 0, the whole state."""
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
        """Change a state's items and watermark in one step, if the state's version is still `expected`.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The state's name: the name of its strategy, or another name that the strategy chose.
            expected: The version that the change was derived from.
            watermark: The last log number that the state now covers.
            changes: A dict from key to new value of the item; `None` removes the item.
            embeddings: A dict from log number to embedding (float32, little-endian), to keep with this state.

        Returns:
            The new version.

        Raises:
            ConflictError: The state has another version; nothing was changed.
        """
        ...

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """Delete everything in a conversation: log, states, embeddings and tombstones. Log numbers start at 1 again.

        Args:
            conversation_id: The conversation to delete; an unknown conversation is not an error.
            only_empty: True to clear the conversation only if it has no messages, and to keep its tombstones.
        """
        ...

    def close(self) -> None:
        """Release files and connections. A closed store cannot be used again."""
        ...


@runtime_checkable
class ManagedStore(Store, Protocol):
    """A store that can also list conversations, delete single messages, restore conversations, and return embeddings.

    When a message of a turn is forgotten, the store keeps a hash of the turn's id: the tombstone. `append` with that id
    stores nothing, and returns the turn's remaining messages. Tombstones stay when the whole conversation is forgotten
    (`clear(only_empty=True)`); a plain `clear` also deletes the tombstones.

    All of memzoo's stores except `MessageListStore` are managed stores. With a plain `Store`, a memory can save, load
    and learn; other operations raise an `UnsupportedError`.
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
        """Return the ids of the conversations that have messages, sorted.

        All stores sort ids by their escaped form; see `memzoo.stores.common.escaped`.

        Args:
            after: Return only ids after this id, to read a long list page by page; `None` for all.
            limit: The maximum number of ids to return; `None` for all.
            idle_since: Return only conversations whose newest message is older than this time (with a time zone).
            prefix: Return only ids with this prefix.
            behind: The name of a state. Return only conversations with messages that this state does not cover yet.
        """
        ...

    async def count(self, conversation_id: str) -> int:
        """Return the number of messages in a conversation, without reading them."""
        ...

    async def states(self, conversation_id: str) -> list[str]:
        """Return the names of a conversation's stored states, sorted."""
        ...

    async def tombstones(self, conversation_id: str) -> list[str]:
        """Return the tombstones of a conversation, sorted; see `memzoo.stores.tombstones.tombstone`."""
        ...

    async def forget(
        self, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
    ) -> list[int]:
        """Delete messages and their embeddings for good; log numbers are never reused.

        Args:
            conversation_id: The conversation to delete from.
            seqs: The messages' log numbers; unknown numbers are ignored.
            derived: True to clear each state that may have learnt from these messages, but not states that have only
                embeddings. If false, no state is cleared.
            tombstones: True to leave tombstones; false to allow the deleted turns to be saved again.

        Returns:
            The numbers removed, in order.
        """
        ...

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """Return a state's embeddings above log number `after`: a dict from log number to embedding, ascending."""
        ...

    async def restore(
        self,
        conversation_id: str,
        entries: Sequence[Entry],
        states: Mapping[str, StoredState],
        *,
        tombstones: Collection[str] = (),
    ) -> None:
        """Write a conversation with its original numbers, turn ids, times and states, all or nothing.

        Args:
            conversation_id: The id of a conversation that does not exist yet.
            entries: The conversation's log: at least one entry, in ascending order of numbers.
            states: A dict from name to state.
            tombstones: The conversation's tombstones.

        Raises:
            ConflictError: The conversation exists already; nothing was changed.
            StoreError: There are no entries, their numbers do not ascend, or a number is below 1.
        """
        ...

    async def scrub(self, *, thorough: bool = False) -> bool:
        """Remove traces of deleted data from the store's files.

        Without `thorough`, other users of the store need not wait, but some traces may stay.

        Args:
            thorough: True to rewrite the files. This takes as long as copying the files; meanwhile, other users of the
                store wait.

        Returns:
            True if no traces are left.
        """
        ...


class Lease(NamedTuple):
    """The exclusive right to derive a state, for a limited time.

    Attributes:
        owner: The owner's unique name.
        token: A number that grows each time another owner gets the lease of this state.
    """

    owner: str
    token: int


@runtime_checkable
class LeasingStore(Store, Protocol):
    """A store that lets one process at a time derive a state, to avoid asking a model twice.

    All of memzoo's stores that processes can share are leasing stores. A process without the lease can still write.
    """

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """Take or renew the lease of a state, and return the lease that is then valid.

        Args:
            conversation_id: The conversation that the state belongs to.
            strategy: The state's name.
            owner: The unique name of the requesting owner.
            seconds: The time until the lease ends, if it is neither renewed nor released before.

        Returns:
            The current lease, possibly another owner's; `None` if the conversation does not exist.
        """
        ...

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """End this owner's lease of a state, if any.

        All leases of a conversation also end with `clear`, and with `forget` if `derived` is true.
        """
        ...


def methods_lacking(store: object) -> list[str]:
    """Return the methods of a `Store` that an object does not have."""
    return [name for name in vars(Store) if name[0] != "_" and not callable(getattr(store, name, None))]


def find_lacking(store: Store, method: str) -> Store | None:
    """Return the store that lacks a method: the given store or a store wrapped in it; `None` if all have the method."""
    if not hasattr(store, method):
        return store
    within: object = getattr(store, "within", None)
    return find_lacking(within, method) if within is not None and isinstance(within, Store) else None


def is_lasting(store: Store) -> bool:
    """Tell whether the data of a store outlives the process. Such a store has the attribute `is_lasting = True`."""
    return bool(getattr(store, "is_lasting", False))


def managed(store: Store, method: str) -> ManagedStore:
    """Return a store as a `ManagedStore`, after checking that it has the named method.

    Raises:
        UnsupportedError: The store, or a store wrapped in it, lacks the method.
    """
    if lacks := find_lacking(store, method):
        raise UnsupportedError(f"this needs a store with the method {method!r}, which {type(lacks).__name__} lacks")
    return cast("ManagedStore", store)


def read_clock(clock: Callable[[], datetime]) -> datetime:
    """Return the time of a store's clock, in UTC.

    Raises:
        OptionError: The clock is not a function or returns no `datetime`, or the time in UTC is outside the years 1 to
            9999.
    """
    now: object = clock() if callable(clock) else clock
    # A memory's clock returns seconds.
    if now is clock or not isinstance(now, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"the clock of a store must be a function that returns a datetime, not {now!r}")
    try:
        return now if now.tzinfo is UTC else now.astimezone(UTC)
    except (OverflowError, ValueError):
        raise OptionError(f"clock must return a time between the years 1 and 9999 in UTC, not {now!r}") from None


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)
