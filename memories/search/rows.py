"""The arrays that a search works with: what it knows of each message, and what it found, in order."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

__all__ = ["ROW", "Flags", "Numbers", "Places", "Ranking", "Rows", "Terms"]

Terms: TypeAlias = NDArray[numpy.uint64]
"""Stems of words, each as 64 bits of its hash: equal stems are equal numbers, in every process."""

Places: TypeAlias = NDArray[numpy.int64]
"""Positions in an array, counted from 0."""

Numbers: TypeAlias = NDArray[numpy.float64]
"""Scores, or what they are made of."""

Flags: TypeAlias = NDArray[numpy.bool_]
"""Whether something is so of each."""

Rows: TypeAlias = NDArray[Any]
"""A row of `ROW` for each message, in the order of the log."""

ROW = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "document", "length", "terms")),
        *((name, "<u8") for name in ("speaker", "own", "other")),
        ("said_at", "<f8"),
        ("opens", "?"),
        ("tells", "?"),
        ("asks", "<f8"),
        ("kinds", "<i8"),
    ]
)
"""`document` is the number with which its exchange begins. It `opens` a segment, `tells` of its speaker, `asks` with
which share of it; what it calls its `own` speaker and the `other` one (`called`), and the `kinds` of values in it
(`kinds_of`)."""


class Ranking:
    """Messages by how well they fit, the older first among equals.

    Nearly all of what is found is never shown: to sort it, and to make Python numbers of it, takes longer than to
    find it.

    Args:
        seqs: Log numbers, oldest first.
        scores: How well each fits.

    Example:
        >>> Ranking(numpy.array([3, 5, 8]), numpy.array([0.5, 2.0, 0.5])).best(2)
        [5, 3]
    """

    def __init__(self, seqs: Places, scores: Numbers) -> None:
        self._seqs = seqs
        self._scores = scores

    def best(self, count: int) -> list[int]:
        """Return the log numbers of the best so many, best first; of all, if there are fewer."""
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


def _order(scores: Numbers) -> Places:
    return numpy.argsort(-scores, kind="stable")
