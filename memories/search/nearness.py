"""What messages gain for their embeddings: relative to each other, whatever the scale of the embedder."""

from collections.abc import Iterable, Mapping

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Places
from memzoo.memories.search.rows import Rows
from memzoo.memories.search.weights import Weights

__all__ = ["nearness", "places_of"]


def nearness(rows: Rows, similarities: Mapping[int, float], weights: Weights) -> NDArray[numpy.float64]:
    """Return how near each message is: how many standard deviations above the least near of those that were found.

    A share of what the message before has is added, and one of what the message behind has.

    Args:
        rows: All messages.
        similarities: Those of the messages that were found nearest, by log number.
        weights: The shares.
    """
    near = numpy.zeros(len(rows) + 2)
    places = places_of(rows, similarities)
    values = numpy.array([similarities[seq] for seq in rows["seq"][places].tolist()], float)
    if len(values) and (spread := values.std()) > 0:
        near[places + 1] = (values - values.min()) / spread
    return near[1:-1] + weights.before * near[:-2] + weights.after * near[2:]


def places_of(rows: Rows, seqs: Iterable[int]) -> Places:
    """Return where messages stand among the rows; those that are not there are left out."""
    numbers = numpy.fromiter(seqs, numpy.int64)
    places = numpy.searchsorted(rows["seq"], numbers)
    known: Places = places[numpy.append(rows["seq"], -1)[places] == numbers]
    return known
