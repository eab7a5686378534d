"""What all memories of one conversation share in a process."""

import threading
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from memzoo.stores import Store

__all__ = ["Shared"]

T = TypeVar("T")


class Shared(Generic[T]):
    """One object for each store object and key, as long as somebody holds it.

    Args:
        make: Makes the object for a key.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._held: weakref.WeakValueDictionary[tuple[int, tuple[str, ...]], T] = weakref.WeakValueDictionary()
        self._guard = threading.Lock()

    def of(self, store: Store, *key: str) -> T:
        """The object that all who ask with this store and key get."""
        place = (id(store), key)
        with self._guard:
            found = self._held.get(place)
            if found is None:
                found = self._held[place] = self._make(*key)
                # Holds the store, so that nothing else gets its identity while the object lives.
                weakref.finalize(found, id, store)
            return found
