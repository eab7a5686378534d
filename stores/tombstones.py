"""Tombstones: a store's records of forgotten turns, so that nothing brings them back."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeGuard, runtime_checkable

from memzoo.stores.base import Entry, ManagedStore, Store, StoredState, find_lacking, managed
from memzoo.stores.common import escaped

__all__ = ["TombstoneStore", "forget", "keeps_tombstones", "restore", "take_back", "tombstone", "tombstones_of"]

_LETTERS = 32  # 128 bits


def tombstone(id_: str) -> str:
    """Return the tombstone of a turn's id: enough to recognise the turn, but not to read its id.

    Example:
        >>> tombstone("turn-1")
        '974cad2dd603827b06e9e6affa3de03d'
    """
    return hashlib.sha256(escaped(id_).encode()).hexdigest()[:_LETTERS]


@runtime_checkable
class TombstoneStore(ManagedStore, Protocol):
    """A store that also remembers forgotten turns, so that nothing brings them back.

    All of memzoo's stores are of this kind. When a message of a turn is forgotten, the store keeps a hash of the turn's
    id: its tombstone. `append` with that id stores nothing, and returns the rest of the turn. Tombstones stay when the
    whole conversation is forgotten (`clear(only_empty=True)`); `clear` deletes them with the rest.
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
        """Like `ManagedStore.forget`, leaving tombstones.

        Args:
            conversation_id: The conversation to delete from.
            seqs: The messages' log numbers.
            derived: As in `ManagedStore.forget`.
            tombstones: Leave tombstones. Otherwise the deleted turns may be saved again.
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
        """Like `ManagedStore.restore`, with tombstones."""
        ...


def keeps_tombstones(store: Store) -> TypeGuard[TombstoneStore]:
    """Tell whether a store keeps tombstones; it need not have all methods of a `ManagedStore`."""
    return not find_lacking(store, "tombstones")


async def forget(
    store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
) -> list[int]:
    """Like `TombstoneStore.forget`; in a store that keeps no tombstones, without them.

    Raises:
        UnsupportedError: The store cannot delete single messages.
    """
    whole = managed(store, "forget")
    if keeps_tombstones(store):
        return await store.forget(conversation_id, seqs, derived=derived, tombstones=tombstones)
    return await whole.forget(conversation_id, seqs, derived=derived)


async def take_back(store: Store, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
    """Delete messages, and the states learnt from them, as if never said; they may be said again.

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
    """Return the tombstones of a conversation, sorted; empty if the store keeps none."""
    return await store.tombstones(conversation_id) if keeps_tombstones(store) else []


async def restore(
    store: Store,
    conversation_id: str,
    entries: Sequence[Entry],
    states: Mapping[str, StoredState],
    tombstones: Collection[str],
) -> None:
    """Like `TombstoneStore.restore`; into a store that keeps no tombstones, without them."""
    whole = managed(store, "restore")
    if keeps_tombstones(store):
        await store.restore(conversation_id, entries, states, tombstones=tombstones)
    else:
        await whole.restore(conversation_id, entries, states)
