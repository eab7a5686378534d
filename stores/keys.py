"""Finds encryption keys in the environment, and checks keys against a sample of a store's messages."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable

from memzoo.errors import StoreError
from memzoo.stores.base import JSON, Entry, ManagedStore, Store

__all__ = [
    "KEY_VARIABLE",
    "TOKEN",
    "has_sample",
    "is_encrypted",
    "keys_from_environment",
    "make_tampered_error",
    "mark",
]

KEY_VARIABLE = "MEMZOO_KEY"
"""The environment variable with the key, or several keys separated by commas, the newest first."""

TOKEN = "encrypted"  # noqa: S105 - the name of a field
"""The name of the only member of an encrypted message."""

_SAMPLED = 50  # conversations


def keys_from_environment() -> list[str] | None:
    """Return the keys in the environment variable `MEMZOO_KEY`; `None` if it is empty or not set."""
    keys = os.environ.get(KEY_VARIABLE)
    return keys.split(",") if keys else None


def mark(*place: JSON) -> bytes:
    """Return a prefix that ties an embedding to its place in the store; prefix and embedding are encrypted together."""
    return hashlib.sha256(json.dumps(place).encode()).digest()


def make_tampered_error(what: str) -> StoreError:
    """Return the error for encrypted content that was moved to another row of the store."""
    return StoreError(f"{what} was written for another place: somebody has moved or exchanged rows of the store")


def is_encrypted(entry: Entry) -> bool:
    """Tell whether a message comes from an encrypted store."""
    return list(entry.message) == [TOKEN]


async def has_sample(store: Store, is_enough: Callable[[Entry], bool]) -> bool:
    """Tell whether `is_enough` is true of at least one message in a sample of the store.

    For some of the conversations, the sample has the oldest and the newest message. Messages that cannot be read
    are skipped. If the store cannot list its conversations, the sample is empty.
    """
    for id_ in await _some(store):
        for newest in (False, True):
            with contextlib.suppress(StoreError):
                if any(map(is_enough, await store.read(id_, limit=1, newest=newest))):
                    return True
    return False


async def _some(store: Store) -> list[str]:
    """Return the ids of some conversations: the result of the store's own `sample`, or else the first ids in order."""
    if sample := getattr(store, "sample", None):
        listed: list[str] = await sample(_SAMPLED)
        return listed
    return await store.conversations(limit=_SAMPLED) if isinstance(store, ManagedStore) else []
