"""What a search over what is known found."""

from collections.abc import Iterator, Mapping, Sequence

import numpy

from memzoo.memories.search.rows import Numbers, Places
from memzoo.memories.search.units import FoundUnit, KnownUnit

__all__ = ["FoundUnits"]

_AT_ONCE = 64


class FoundUnits:
    """What a search found, put in order only as far as somebody looks.

    Args:
        units: All units, with the key of the item that each is of, and its place there.
        places: Those that were found, best first.
        scores: How well each of these fits.
        by: How much of it each part of the search gave.

    Attributes:
        parts: The names of these parts.
    """

    def __init__(self, units: Sequence[FoundUnit], places: Places, scores: Numbers, by: Mapping[str, Numbers]) -> None:
        self._units = units
        self._places = places
        self._scores = scores
        self._by = by
        self.parts = tuple(by)

    def __iter__(self) -> Iterator[FoundUnit]:
        """Yield them, best first."""
        for start in range(0, len(self._places), _AT_ONCE):
            yield from (self._units[place] for place in self._places[start : start + _AT_ONCE].tolist())

    def __len__(self) -> int:
        return len(self._places)

    @property
    def scores(self) -> Iterator[tuple[FoundUnit, float]]:
        """All of them, best first, with how well each fits."""
        return zip(self, self._scores.tolist(), strict=True)

    def introduce(self, most: int) -> dict[str, KnownUnit]:
        """The first so many names that were found, each with what says best who or what it is.

        That is the best find that tells so, else the best find.
        """
        likely: dict[str, KnownUnit] = {}
        for _, _, unit in self:
            name = unit.names[0]
            if name not in likely and len(likely) == most:
                break
            if name not in likely or (unit.tells and not likely[name].tells):
                likely[name] = unit
        return likely

    def by(self, part: str) -> Iterator[tuple[FoundUnit, float]]:
        """Those that a part of the search gave something, best first by it."""
        given = self._by[part]
        for place in numpy.argsort(-given, kind="stable").tolist():
            if given[place] <= 0:
                return
            yield self._units[int(self._places[place])], float(given[place])
