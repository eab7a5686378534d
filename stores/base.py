"""What a store is: the log of each conversation, and what strategies derived from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeAlias, runtime_checkable

__all__ = ["JSON", "Entry", "Message", "Record", "StateUpdate", "Store"]

JSON: TypeAlias = Any
"""Anything that survives `json.dumps` and `json.loads` unchanged."""

Message: TypeAlias = dict[str, Any]
"""An OpenAI chat message: a dict with a `role` and, as a rule, a `content`."""


@dataclass(frozen=True, slots=True)
class Record:
    """A message to be appended to a log.

    Attributes:
        message: The OpenAI chat message.
        fields: The named inputs or outputs that came with the message, in their order; `None` stands for
            the content of the message itself. Empty where nobody asked to keep them.
    """

    message: Message
    fields: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


@dataclass(frozen=True, slots=True)
class Entry:
    """A message as it stands in a log.

    Attributes:
        seq: Its number in the conversation, from 1, without gaps.
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


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """What a reader of a derived state has to take in.

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


@runtime_checkable
class Store(Protocol):
    """Keeps logs, derived states and embeddings; everything under a conversation's id, nothing beside it.

    A store is shared by any number of memories. Its methods are coroutines that suspend only when
    `memzoo.stores.driving.is_blocking` is false. What they return is the caller's to change.
    `memzoo.stores.testing.StoreContract` states all the rules as tests; run it over a store of your own.
    """

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """Append records as one turn, all or none, and return them as they now stand in the log.

        When it returns, a durable store has them on disk. A `turn_id` that the conversation already has
        changes nothing: the entries of that turn are returned as they were.
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
        """Entries numbered above `after` and up to `until`, oldest first.

        Args:
            conversation_id: Whose log; an unknown one is empty.
            after: Only numbers greater than this.
            until: Only numbers up to this; `None` for no bound.
            limit: At most so many; `None` for all.
            newest: Where `limit` cuts, keep the newest instead of the oldest (the order stays oldest first).
        """
        ...

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """What changed in the state of a strategy after version `since` (0: everything)."""
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
            conversation_id: Whose state.
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

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """The embeddings committed with a state, for log numbers greater than `after`, in order."""
        ...

    async def clear(self, conversation_id: str) -> None:
        """Delete all there is of a conversation: log, states, embeddings. Numbers start at 1 again."""
        ...

    async def conversations(self) -> list[str]:
        """The ids of all conversations that have a message, sorted."""
        ...

    def close(self) -> None:
        """Give back files and connections. A closed store cannot be used again."""
        ...
