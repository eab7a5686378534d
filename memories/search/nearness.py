"""What messages gain for their embeddings: relative to each other, whatever the scale of the embedder."""

from collections.abc import Mapping

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Places
from memzoo.memories.search.weights import Weights

__all__ = ["located", "nearness"]

Numbers = NDArray[numpy.float64]


def located(seqs: Places, similarities: Mapping[int, float]) -> tuple[Places, Numbers]:
    """Return the places of messages among all log numbers, and their similarities; unknown messages are left out."""
    numbers = numpy.fromiter(similarities, numpy.int64)
    values = numpy.fromiter(similarities.values(), numpy.float64)
    places = numpy.searchsorted(seqs, numbers)
    known = numpy.append(seqs, -1)[places] == numbers
    return places[known], values[known]


def nearness(count: int, places: Places, similarities: Numbers, weights: Weights) -> Numbers:
    """Return how near each message is: how many standard deviations above the least near of those that were found.

    A share of what the message before has is added, and one of what the message behind has.

    Args:
        count: How many messages there are.
        places: Those that were found nearest.
        similarities: Theirs.
        weights: The shares.
    """
    near = numpy.zeros(count + 2)
    if len(places) and (spread := similarities.std()) > 0:
        near[places + 1] = (similarities - similarities.min()) / spread
    return near[1:-1] + weights.before * near[:-2] + weights.after * near[2:]
