"""What a message is worth whatever is looked for: who tells, who asks, and how much room it takes."""

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.passages import PAUSE
from memzoo.memories.search.rows import Rows
from memzoo.memories.search.weights import Weights

__all__ = ["answering", "worth"]

Numbers = NDArray[numpy.float64]


def worth(rows: Rows, weights: Weights) -> Numbers:
    """Return what each message gains or loses, as a share of the best score by words."""
    gain: Numbers = weights.telling * rows["tells"] - weights.asking * rows["asks"]
    length = weights.length * _doublings(rows["terms"], weights.short)
    return gain - length - weights.talkative * _doublings(_usual_lengths(rows), weights.short)


def answering(rows: Rows) -> Numbers:
    """Return how much the message asks that was said shortly before each: this may be the answer."""
    follows = numpy.diff(rows["said_at"]) <= PAUSE
    return numpy.append(numpy.zeros(min(len(rows), 1)), rows["asks"][:-1] * follows)


def _doublings(lengths: NDArray[numpy.int64] | Numbers, short: int) -> Numbers:
    """How often a length that is just short has to be doubled."""
    logarithms: Numbers = numpy.log2(numpy.maximum(lengths, short) / short)
    return logarithms


def _usual_lengths(rows: Rows) -> Numbers:
    """The mean length of all that the speaker of each message said: who says much says little with each word."""
    _, who, counts = numpy.unique(rows["speaker"], return_inverse=True, return_counts=True)
    means: Numbers = numpy.bincount(who, rows["terms"], minlength=len(counts)) / counts
    return means[who]
