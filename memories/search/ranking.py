"""What a search found, put in order only as far as somebody looks."""

from collections.abc import Iterator

import numpy

from memzoo.memories.search.rows import Numbers, Places

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
