"""Tombstones: a store's records of forgotten turns, to never store these turns again."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeGuard, runtime_checkable

from memzoo.stores.base import Entry, ManagedStore, Store, StoredState, find_lacking, managed
from memzoo.stores.common import escaped

__all__ = ["TombstoneStore", "forget", "keeps_tombstones", "restore", "take_back", "tombstone", "tombstones_of"]

_LETTERS = 32  # 128 bits


def tombstone(id_: str) -> str:
    """Return the tombstone of a turn's id: a hash that identifies the turn without revealing the id.

    Example:
        >>> tombstone("turn-1")
        '974cad2dd603827b06e9e6affa3de03d'
    """
    return hashlib.sha256(escaped(id_).encode()).hexdigest()[:_LETTERS]


@runtime_checkable
class TombstoneStore(ManagedStore, Protocol):
    """A store that also records forgotten turns, and never stores such a turn again.

    All of memzoo's managed stores are tombstone stores. When a message of a turn is forgotten, the store keeps a hash
    of the turn's id: the tombstone. `append` with that id stores nothing, and returns the turn's remaining messages.
    Tombstones stay when the whole conversation is forgotten (`clear(only_empty=True)`); a plain `clear` also deletes
    the tombstones.
    """

    async def tombstones(self, conversation_id: str) -> list[str]:
        """Return the tombstones of a conversation, sorted; see `memzoo.stores.tombstones.tombstone`."""
        ...

    async def forget(
        self,
        conversation_id: str,
        seqs: Collection[int],
        *,
        derived: bool = True,
        tombstones: bool = True,
    ) -> list[int]:
        """Delete messages like `ManagedStore.forget`, and leave tombstones.

        Args:
            conversation_id: The conversation to delete from.
            seqs: The messages' log numbers.
            derived: As in `ManagedStore.forget`.
            tombstones: Leave tombstones. If false, the deleted turns may be saved again.
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
        """Write a conversation like `ManagedStore.restore`, with its tombstones."""
        ...


def keeps_tombstones(store: Store) -> TypeGuard[TombstoneStore]:
    """Tell whether a store keeps tombstones; the store need not have all methods of a `ManagedStore`."""
    return not find_lacking(store, "tombstones")


async def forget(
    store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
) -> list[int]:
    """Delete messages like `TombstoneStore.forget`, without tombstones if the store cannot keep tombstones.

    Raises:
        UnsupportedError: The store cannot delete single messages.
    """
    whole = managed(store, "forget")
    if keeps_tombstones(store):
        return await store.forget(conversation_id, seqs, derived=derived, tombstones=tombstones)
    return await whole.forget(conversation_id, seqs, derived=derived)


async def take_back(store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
    """Delete messages, and the states learnt from them, without tombstones: the same turns may be saved again.

    Args:
        store: The store to delete from.
        conversation_id: The conversation to delete from.
        seqs: The messages' log numbers.
        derived: As in `ManagedStore.forget`.

    Returns:
        The numbers that were removed, in order.

    Raises:
        UnsupportedError: The store cannot delete single messages.
    """
    return await forget(store, conversation_id, seqs, derived=derived, tombstones=False)


async def tombstones_of(store: Store, conversation_id: str) -> list[str]:
    """Return the tombstones of a conversation, sorted; empty if the store keeps no tombstones."""
    return await store.tombstones(conversation_id) if keeps_tombstones(store) else []


async def restore(
    store: Store,
    conversation_id: str,
    entries: Sequence[Entry],
    states: Mapping[str, StoredState],
    tombstones: Collection[str],
) -> None:
    """Write a conversation like `TombstoneStore.restore`, without tombstones if the store cannot keep tombstones."""
    whole = managed(store, "restore")
    if keeps_tombstones(store):
        await store.restore(conversation_id, entries, states, tombstones=tombstones)
    else:
        await whole.restore(conversation_id, entries, states)
