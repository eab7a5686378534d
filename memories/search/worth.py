"""What messages gain besides their words: by themselves, as answers, and for their embeddings."""

from collections.abc import Mapping

import numpy

from memzoo.memories.search.passages import PAUSE
from memzoo.memories.search.rows import Numbers, Places, Rows
from memzoo.memories.search.weights import Weights

__all__ = ["answering", "doublings", "located", "nearness", "worth"]


def worth(rows: Rows, weights: Weights) -> Numbers:
    """Return what each message gains or loses, as a share of the best score by words."""
    gain: Numbers = weights.telling * rows["tells"] - weights.asking * rows["asks"]
    length = weights.length * doublings(rows["terms"], weights.short)
    return gain - length - weights.talkative * doublings(_usual_lengths(rows), weights.short)


def answering(rows: Rows) -> Numbers:
    """Return how much the message asks that was said shortly before each: this may be the answer."""
    follows = numpy.diff(rows["said_at"]) <= PAUSE
    return numpy.append(numpy.zeros(min(len(rows), 1)), rows["asks"][:-1] * follows)


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


def doublings(lengths: Places | Numbers, short: int) -> Numbers:
    """How often a length that is just short has to be doubled."""
    logarithms: Numbers = numpy.log2(numpy.maximum(lengths, short) / short)
    return logarithms


def _usual_lengths(rows: Rows) -> Numbers:
    """The mean length of all that the speaker of each message said: who says much says little with each word."""
    _, who, counts = numpy.unique(rows["speaker"], return_inverse=True, return_counts=True)
    means: Numbers = numpy.bincount(who, rows["terms"], minlength=len(counts)) / counts
    return means[who]
