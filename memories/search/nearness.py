"""What messages gain for their embeddings: relative to each other, whatever the scale of the embedder."""

from collections.abc import Mapping

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.rows import Rows

__all__ = ["nearness"]

_BEFORE, _AFTER = 0.5, 0.25


def nearness(rows: Rows, similarities: Mapping[int, float]) -> NDArray[numpy.float64]:
    """Return how near each message is: how many standard deviations above the least near of those that were found.

    Half of what the message before has is added, and a quarter of what the one behind has.

    Args:
        rows: All messages.
        similarities: Those of the messages that were found nearest, by log number.
    """
    near = numpy.zeros(len(rows) + 2)
    numbers, values = numpy.array(list(similarities), "i8"), numpy.array(list(similarities.values()), float)
    places = numpy.searchsorted(rows["seq"], numbers)
    known = numpy.append(rows["seq"], -1)[places] == numbers
    if known.any() and (spread := values[known].std()) > 0:
        near[places[known] + 1] = (values[known] - values[known].min()) / spread
    return near[1:-1] + _BEFORE * near[:-2] + _AFTER * near[2:]
