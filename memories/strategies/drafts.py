"""Keeps indexes beside a state that is not stored yet, as when all is learnt anew."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from memzoo.stores import JSON

__all__ = ["Draft"]

Kept = TypeVar("Kept")


class Draft(Generic[Kept]):
    """Brings what is kept beside a state from one step to the next: of all items, it hears of those that changed.

    Args:
        make: Makes what is kept, of no items.
        apply: Tells it of changes: items by key, `None` for one that went.

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
        """What is kept beside these items. Whoever derives holds the lock of the state, so this is one at a time."""
        before, kept = self._items, self._kept
        kept = self._make() if kept is None else kept
        changes = {key: item for key, item in items.items() if before.get(key) is not item}
        self._apply(kept, {**changes, **dict.fromkeys(before.keys() - items.keys())})
        self._items, self._kept = items, kept
        return kept

    def drop(self) -> None:
        """Let go of it: what was learnt is stored."""
        self._items, self._kept = {}, None
