"""Tombstones: a store's records of forgotten turns, which must never be stored again."""

import hashlib
from typing import TypeGuard

from memzoo.stores.base import ManagedStore, Store, find_lacking
from memzoo.stores.common import escaped

_LETTERS = 32  # 128 bits


def tombstone(id_: str) -> str:
    """Return the tombstone of a turn's id: a hash that identifies the turn without revealing the id.

    Example:
        >>> tombstone("turn-1")
        '974cad2dd603827b06e9e6affa3de03d'
    """
    return hashlib.sha256(escaped(id_).encode()).hexdigest()[:_LETTERS]


def keeps_tombstones(store: Store) -> TypeGuard[ManagedStore]:
    """Tell whether a store keeps tombstones. Other methods of a `ManagedStore` may be missing."""
    return not find_lacking(store, "tombstones")


async def tombstones_of(store: Store, conversation_id: str) -> list[str]:
    """Return the tombstones of a conversation, sorted; empty if the store keeps no tombstones."""
    return await store.tombstones(conversation_id) if keeps_tombstones(store) else []
