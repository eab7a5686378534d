"""The arrays of a search: data about each message, and the ranking of found messages."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

Terms: TypeAlias = NDArray[numpy.uint64]
"""Stems of words in order, each as a hash of 64 bits: equal stems give equal numbers in every process."""

Places: TypeAlias = NDArray[numpy.int64]
"""Positions in an array, counted from 0."""

Spans: TypeAlias = tuple[Places | slice, Places | slice]
"""The position of each span's first message, and the position after each span's last message."""

Numbers: TypeAlias = NDArray[numpy.float64]
"""Scores, or parts of scores."""

Flags: TypeAlias = NDArray[numpy.bool_]
"""True or false for each element."""

Rows: TypeAlias = NDArray[Any]
"""A row for each message, or for each known unit."""


class Ranking:
    """Messages ranked by score; of equal scores, the oldest message comes first.

    Args:
        seqs: The messages' log numbers, oldest first.
        scores: The score of each message.

    Example:
        >>> Ranking(numpy.array([3, 5, 8]), numpy.array([0.5, 2.0, 0.5])).best(2)
        [5, 3]
    """

    def __init__(self, seqs: Places, scores: Numbers) -> None:
        self._seqs = seqs
        self._scores = scores

    def best(self, count: int) -> list[int]:
        """Return the log numbers of the `count` best messages, or of all messages if there are fewer; best first."""
        seqs, scores = self._seqs, self._scores
        if 0 < count < len(self):
            worst = len(self) - count
            # Keep all messages at least as good as the last wanted message: among equals, the older ones are returned.
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
    """Return the positions of the words of some texts in an array that joins the words of many texts.

    For each text chosen, `first` has the position of its first word, and `counts` has the number of its words.
    """
    within: Places = numpy.arange(int(counts.sum())) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    return numpy.repeat(first, counts) + within


def _order(scores: Numbers) -> Places:
    return numpy.argsort(-scores, kind="stable")
