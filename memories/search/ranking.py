"""What a search found, put in order only as far as somebody looks."""

from collections.abc import Iterator

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Places

__all__ = ["Ranking"]


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

    def __init__(self, seqs: Places, scores: NDArray[numpy.float64]) -> None:
        self._seqs = seqs
        self._scores = scores

    def best(self, count: int) -> list[int]:
        """Return the log numbers of the best so many, best first; of all, if there are fewer."""
        if not 0 < count < len(self):
            return self._seqs[self._order()[:count]].tolist()
        worst = len(self) - count
        # All that are as good as the last one wanted: of equals, the older ones are taken.
        near = numpy.flatnonzero(self._scores >= numpy.partition(self._scores, worst)[worst])
        order = near[numpy.argsort(-self._scores[near], kind="stable")]
        return self._seqs[order[:count]].tolist()

    def items(self) -> Iterator[tuple[int, float]]:
        """Yield all log numbers with their scores, best first."""
        order = self._order()
        yield from zip(self._seqs[order].tolist(), self._scores[order].tolist(), strict=True)

    def __len__(self) -> int:
        return len(self._seqs)

    def _order(self) -> Places:
        return numpy.argsort(-self._scores, kind="stable")
