"""Keeps indexes beside a state that is not stored yet, as when everything is learnt again."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from memzoo.stores import JSON

__all__ = ["Draft"]

Kept = TypeVar("Kept")


class Draft(Generic[Kept]):
    """Carries what is kept beside a state from one step to the next, applying only the items that changed.

    Args:
        make: Makes what is kept, without any items.
        apply: Applies changes to it: items by key, `None` for one that is gone.

    Example:
        >>> draft = Draft(list, list.append)
        >>> known = {"a": [1]}
        >>> _ = draft.after(known)
        >>> draft.after({**known, "b": [2]})
        [{'a': [1]}, {'b': [2]}]
    """

    def __init__(self, make: Callable[[], Kept], apply: Callable[[Kept, Mapping[str, JSON]], None]) -> None:
        self._make = make
        self._apply = apply
        self._items: Mapping[str, JSON] = {}
        self._kept: Kept | None = None

    def after(self, items: Mapping[str, JSON]) -> Kept:
        """Return what is kept beside these items. Deriving holds the state's lock, so calls come one at a time."""
        before, kept = self._items, self._kept
        kept = self._make() if kept is None else kept
        changes = {key: item for key, item in items.items() if before.get(key) is not item}
        self._apply(kept, {**changes, **dict.fromkeys(before.keys() - items.keys())})
        self._items, self._kept = items, kept
        return kept

    def drop(self) -> None:
        """Drop it, because what was learnt is stored now."""
        self._items, self._kept = {}, None
