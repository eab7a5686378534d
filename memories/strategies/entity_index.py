"""Finds notes by name, without looking at all of them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from memzoo.memories.text.name_index import NameIndex
from memzoo.stores.forks import new_rlock

__all__ = ["EntityIndex"]


class EntityIndex:
    """The keys of notes by the words in them, and which of them are other names for which.

    Example:
        >>> index = EntityIndex({"sam": {"name": "Sam", "summary": "A cat."}, "tiger": {"name": "Tiger", "of": "sam"}})
        >>> index.standing_in("Is Tiger here?"), index.others("sam")
        (['tiger'], {'tiger'})
    """

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._names = NameIndex()
        self._of: dict[str, str] = {}
        self._others: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = new_rlock()
        self.apply(items or {}, reset=False)

    def apply(self, changes: Mapping[str, Any], *, reset: bool) -> None:
        """Follow items that changed (`None` for one that went), after forgetting all if `reset`."""
        with self._lock:
            if reset:
                self._names.clear()
                self._of.clear()
                self._others.clear()
            for key, item in changes.items():
                self._put(key, item)

    def standing_in(self, text: str) -> list[str]:
        """The keys that stand in a text, sorted."""
        with self._lock:
            return self._names.standing_in(text)

    def with_words(self, key: str) -> list[str]:
        """The keys that have all words of another."""
        with self._lock:
            return self._names.with_words(key)

    def others(self, key: str) -> set[str]:
        """The keys that stand for another, by way of others too."""
        with self._lock:
            found, edge = set[str](), {key}
            while edge:
                edge = {other for one in edge for other in self._others.get(one, ())} - found
                found |= edge
            return found - {key}

    def _put(self, key: str, item: Mapping[str, Any] | None) -> None:
        if (before := self._of.pop(key, None)) is not None:
            self._others[before].discard(key)
        if item is None:
            self._names.remove(key)
            return
        self._names.add(key)
        if "of" in item:
            self._of[key] = item["of"]
            self._others[item["of"]].add(key)
