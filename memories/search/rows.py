"""The arrays of a search: its data on each message, and its results, in order."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

__all__ = ["Flags", "Numbers", "Places", "Ranking", "Rows", "Terms", "spread"]

Terms: TypeAlias = NDArray[numpy.uint64]
"""Stems of words, each as 64 bits of its hash: equal stems are equal numbers, in every process."""

Places: TypeAlias = NDArray[numpy.int64]
"""Positions in an array, counted from 0."""

Numbers: TypeAlias = NDArray[numpy.float64]
"""Scores, or their parts."""

Flags: TypeAlias = NDArray[numpy.bool_]
"""True or false for each."""

Rows: TypeAlias = NDArray[Any]
"""A row for each message, or for each thing that is known."""


class Ranking:
    """Messages by their fit, the older first among equals.

    Nearly all results are never shown, and sorting and converting them to Python numbers would take longer than the
    search.

    Args:
        seqs: Log numbers, oldest first.
        scores: The fit of each.

    Example:
        >>> Ranking(numpy.array([3, 5, 8]), numpy.array([0.5, 2.0, 0.5])).best(2)
        [5, 3]
    """

    def __init__(self, seqs: Places, scores: Numbers) -> None:
        self._seqs = seqs
        self._scores = scores

    def best(self, count: int) -> list[int]:
        """Return the log numbers of the best `count`, best first; of all, if there are fewer."""
        seqs, scores = self._seqs, self._scores
        if 0 < count < len(self):
            worst = len(self) - count
            # All that are as good as the last one wanted: of equals, the older ones are taken.
            near = numpy.flatnonzero(scores >= numpy.partition(scores, worst)[worst])
            seqs, scores = seqs[near], scores[near]
        best: list[int] = seqs[_order(scores)[:count]].tolist()
        return best

    def items(self) -> Iterator[tuple[int, float]]:
        """Yield all log numbers with their scores, best first."""
        order = _order(self._scores)
        yield from zip(self._seqs[order].tolist(), self._scores[order].tolist(), strict=True)

    def __len__(self) -> int:
        return len(self._seqs)


def spread(first: Places, counts: Places) -> Places:
    """Return the places of all words of texts, given their first places and numbers of words."""
    within: Places = numpy.arange(int(counts.sum())) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    return numpy.repeat(first, counts) + within


def _order(scores: Numbers) -> Places:
    return numpy.argsort(-scores, kind="stable")
