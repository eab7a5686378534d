"""Tombstones: what is kept of a forgotten turn, so that nothing brings it back."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeGuard, runtime_checkable

from memzoo.stores.base import Entry, ManagedStore, Store, StoredState, lacking, managed
from memzoo.stores.common import escaped

__all__ = ["TombstoneStore", "forget", "keeps_tombstones", "restore", "take_back", "tombstone", "tombstones_of"]

_LETTERS = 32  # 128 bits


def tombstone(id_: str) -> str:
    """What is kept of the id of a forgotten turn: by it the turn is known again, and its id cannot be read.

    Example:
        >>> tombstone("turn-1")
        '974cad2dd603827b06e9e6affa3de03d'
    """
    return hashlib.sha256(escaped(id_).encode()).hexdigest()[:_LETTERS]


@runtime_checkable
class TombstoneStore(ManagedStore, Protocol):
    """A store that also knows which turns were forgotten, so that nothing brings them back.

    All stores of memzoo are of this kind. Of a turn of which a message was forgotten, a hash of its id is kept: its
    tombstone. `append` with that id stores nothing, and returns what is left of the turn. Tombstones outlive the
    conversation where all of it was forgotten (`clear(only_empty=True)`); `clear` deletes them with the rest.
    """

    async def tombstones(self, conversation_id: str) -> list[str]:
        """The tombstones of a conversation, in order; see `memzoo.stores.tombstones.tombstone`."""
        ...

    async def forget(
        self,
        conversation_id: str,
        seqs: Collection[int],
        *,
        derived: bool = True,
        tombstones: bool = True,
    ) -> list[int]:
        """As `ManagedStore.forget`.

        Args:
            conversation_id: The conversation to delete from.
            seqs: Their log numbers.
            derived: See there.
            tombstones: Leave tombstones. Otherwise what is deleted may be said again.
        """
        ...

    async def restore(
        self,
        conversation_id: str,
        entries: Sequence[Entry],
        states: Mapping[str, StoredState],
        *,
        tombstones: Collection[str] = (),
    ) -> None:
        """As `ManagedStore.restore`, with its tombstones."""
        ...


def keeps_tombstones(store: Store) -> TypeGuard[TombstoneStore]:
    """Whether a store knows what was forgotten; it need not have all methods of a `ManagedStore`."""
    return not lacking(store, "tombstones")


async def forget(
    store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
) -> list[int]:
    """As `TombstoneStore.forget`; in a store that keeps no tombstones, without them.

    Raises:
        UnsupportedError: The store cannot delete single messages.
    """
    whole = managed(store, "forget")
    if keeps_tombstones(store):
        return await store.forget(conversation_id, seqs, derived=derived, tombstones=tombstones)
    return await whole.forget(conversation_id, seqs, derived=derived)


async def take_back(store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
    """Delete messages, and what was learnt from them, as if they had not been said: they may be said again.

    Args:
        store: Where they are.
        conversation_id: The conversation.
        seqs: Their log numbers.
        derived: As in `ManagedStore.forget`.

    Returns:
        The numbers that were removed, in order.

    Raises:
        UnsupportedError: The store cannot delete single messages.
    """
    return await forget(store, conversation_id, seqs, derived=derived, tombstones=False)


async def tombstones_of(store: Store, conversation_id: str) -> list[str]:
    """The tombstones of a conversation, in order; none where a store keeps none."""
    return await store.tombstones(conversation_id) if keeps_tombstones(store) else []


async def restore(
    store: Store,
    conversation_id: str,
    entries: Sequence[Entry],
    states: Mapping[str, StoredState],
    tombstones: Collection[str],
) -> None:
    """As `TombstoneStore.restore`; into a store that keeps no tombstones, without them."""
    whole = managed(store, "restore")
    if keeps_tombstones(store):
        await store.restore(conversation_id, entries, states, tombstones=tombstones)
    else:
        await whole.restore(conversation_id, entries, states)
