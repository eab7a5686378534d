"""Means with 95% intervals, and differences between memories question by question: bootstrap with a fixed seed."""

from collections.abc import Mapping, Sequence

import numpy

from memzoo.benchmarks.outcomes import Shape

__all__ = ["Interval", "Pair", "difference", "interval"]

_RESAMPLES = 2_000
_SEED = 0
_DIGITS = 6


class Interval(Shape):
    """A mean over questions with its 95% interval (bootstrap over questions, fixed seed)."""

    mean: float
    low: float
    high: float
    count: int


class Pair(Shape):
    """The memory with the highest figure within one budget, beside another one, question by question.

    Attributes:
        budget: In tokens.
        measure: Which figure: "covered", "answers" or "judged".
        best: The name of the one with the highest figure.
        other: The name of the other one.
        difference: Of the two, with its interval.
        distinguishable: The interval does not hold 0.
    """

    budget: int
    measure: str
    best: str
    other: str
    difference: Interval
    distinguishable: bool

    @property
    def tied(self) -> bool:
        """Whether both have the same figure."""
        return self.difference.mean == 0


def interval(values: Sequence[float | bool | None]) -> Interval | None:
    """Compute the mean of what is known, with its interval; `None` if nothing is.

    Example:
        >>> found = interval([1, 1, 1, 0])
        >>> (found.mean, found.low, found.high, found.count)
        (0.75, 0.25, 1.0, 4)
    """
    known = numpy.array([value for value in values if value is not None], float)
    if not len(known):
        return None
    different, counts = numpy.unique(known, return_counts=True)
    # How often each value is drawn, instead of the draws themselves: the same, whatever the number of questions.
    drawn = numpy.random.default_rng(_SEED).multinomial(len(known), counts / len(known), _RESAMPLES)
    means = drawn @ different / len(known)
    # A mean that was drawn, not a point between two.
    low, high = numpy.percentile(means, [2.5, 97.5], method="closest_observation")
    mean, low, high = (round(float(one), _DIGITS) for one in (known.mean(), low, high))
    return Interval(mean=mean, low=low, high=high, count=len(known))


def difference(one: Mapping[int, float], other: Mapping[int, float]) -> Interval | None:
    """Compute the mean difference where both have a figure, with its interval; `None` if they never have."""
    # Rounded, so that equal differences are drawn as one value.
    return interval([round(one[place] - other[place], _DIGITS) for place in one.keys() & other.keys()])
