"""Makes the items of a strategy's state searchable."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from memzoo.forks import new_lock
from memzoo.memories.search.units import KnownUnit
from memzoo.memories.search.weights import UnitWeights
from memzoo.stores import JSON

if TYPE_CHECKING:
    from memzoo.memories.search.unit_index import UnitIndex
    from memzoo.memories.search.units import FoundUnit, FoundUnits

__all__ = ["FEW_TOKENS", "KnownIndex", "UnitsOf"]

_MOST_LINES = 64
FEW_TOKENS = 300
"""The highest token limit of a view that has no room for a fact beside its replacement."""

UnitsOf: TypeAlias = Callable[[str, JSON], Sequence[KnownUnit]]
"""A function from an item of a state (key and value) to the item's units; an outdated fact has no units."""


class KnownIndex:
    """Searches the facts or statements of a state, and follows the state's changes.

    The next search reads the changed items first. It reads each item once, even after several changes.

    Args:
        units_of: Returns the units (facts or statements) of an item.
        weights: The weights of the search.
    """

    def __init__(self, units_of: UnitsOf, weights: UnitWeights | None = None) -> None:
        self._units_of = units_of
        self._weights = weights
        self._lock = new_lock()
        self._index: UnitIndex | None = None
        self._changed: dict[str, JSON] = {}

    def apply(self, changes: Mapping[str, JSON], *, reset: bool = False) -> None:
        """Collect changed items (`None` for a deleted item); with `reset`, first drop all items."""
        with self._lock:
            if reset:
                self._index = None
                self._changed.clear()
            self._changed.update(changes)

    def search(self, query: str, named: Mapping[str, float] = MappingProxyType({})) -> "FoundUnits":
        """Return the units that fit a query; see `UnitIndex.search`."""
        return self._follow().search(query, named)

    def add_later(self, found: "FoundUnits", limit: int) -> "Iterator[Sequence[FoundUnit]]":
        """Yield a group for each unit found: later units that say what replaced the unit's names, then the unit.

        If `limit` is at most 300 tokens, a group is the unit alone.
        """
        index = self._follow()
        return ([*(index.find_later(one.unit) if limit > FEW_TOKENS else ()), one] for one in found)

    def find_touched(self, said: str, named: Callable[[str], Mapping[str, float]]) -> "FoundUnits":
        """Return the units that new lines may change; see `UnitIndex.find_touched`.

        Args:
            said: The new lines, of which only the first 64 count.
            named: Returns the canonical names in a line: a dict from name to certainty.
        """
        lines = [line for line in said.splitlines() if line.strip()][:_MOST_LINES]
        return self._follow().find_touched([(line, named(line)) for line in lines])

    def _follow(self) -> "UnitIndex":
        from memzoo.memories.search.unit_index import UnitIndex  # numpy is loaded only where it is needed

        with self._lock:
            self._index = self._index or UnitIndex(self._weights)
            if self._changed:
                items = self._changed.items()
                self._index.put({key: [] if item is None else self._units_of(key, item) for key, item in items})
                self._changed.clear()
            return self._index
