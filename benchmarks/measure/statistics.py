"""Means with 95% intervals, and differences between memories question by question: bootstrap with a fixed seed."""

import functools
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy

from memzoo.benchmarks.outcomes import Shape

__all__ = ["Interval", "Pair", "difference", "interval", "most_behind"]

_RESAMPLES = 2_000
_SEED = 0
_DIGITS = 6
_ERROR = 0.05


class Interval(Shape):
    """A mean over questions with its 95% interval (bootstrap over questions, fixed seed)."""

    mean: float
    low: float
    high: float
    count: int


class Pair(Shape):
    """The memory with the highest figure within one budget, compared with another one question by question.

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
        """True if both have the same figure."""
        return self.difference.mean == 0


def interval(values: Sequence[float | bool | None]) -> Interval | None:
    """Compute the mean of known values, with its interval; `None` if there are none.

    Example:
        >>> found = interval([1, 1, 1, 0])
        >>> (found.mean, found.low, found.high, found.count)
        (0.75, 0.25, 1.0, 4)
    """
    known = numpy.array([value for value in values if value is not None], float)
    if not len(known):
        return None
    different, counts = numpy.unique(known, return_counts=True)
    mean, low, high = (round(one, _DIGITS) for one in (float(known.mean()), *_ends(tuple(different), tuple(counts))))
    return Interval(mean=mean, low=low, high=high, count=len(known))


@functools.lru_cache(maxsize=1024)  # many figures are of the same shares, such as so many of 0 and so many of 1
def _ends(different: tuple[float, ...], counts: tuple[int, ...]) -> tuple[float, float]:
    number, of_each = sum(counts), numpy.array(counts)
    # How often each value is drawn, instead of the draws themselves: the same, whatever the number of questions.
    drawn = numpy.random.default_rng(_SEED).multinomial(number, of_each / number, _RESAMPLES)
    means = drawn @ numpy.array(different) / number
    # A mean that was drawn, not a point between two.
    low, high = numpy.percentile(means, [2.5, 97.5], method="closest_observation")
    return float(low), float(high)


def difference(one: Mapping[int, float], other: Mapping[int, float]) -> Interval | None:
    """Compute the mean difference where both have a figure, with its interval; `None` if they never have."""
    # Rounded, so that equal differences are drawn as one value.
    return interval([round(one[place] - other[place], _DIGITS) for place in one.keys() & other.keys()])


def most_behind(shares: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    """Compute how far each memory may fall short of another one, question by question, with 95% certainty for all.

    Args:
        shares: By memory: for each question, the share that it shows.

    Example:
        >>> same = dict.fromkeys(range(30), 1.0)
        >>> {name: round(most, 2) for name, most in most_behind({"one": same, "other": same}).items()}
        {'one': 0.09, 'other': 0.09}
    """
    # Of many memories, one may be lucky: the more there are, the wider the intervals.
    width = NormalDist().inv_cdf(1 - _ERROR / len(shares))
    return {
        name: max((_most_less(found, other, width) for beside, other in shares.items() if beside != name), default=0.0)
        for name, found in shares.items()
    }


def _most_less(one: Mapping[int, float], other: Mapping[int, float], width: float) -> float:
    """Compute the upper end of the interval of a mean difference; 1 if no question has both.

    A bootstrap of differences that are all 0 would be certain that there are none. Therefore two questions are added,
    one that only the one answers, and one that only the other does (Bonett and Price's interval, where shares are 0 or
    1).
    """
    apart = [other[place] - one[place] for place in one.keys() & other.keys()]
    if not apart:
        return 1.0
    padded = numpy.array([*apart, 1.0, -1.0])
    return round(float(padded.mean() + width * padded.std() / len(padded) ** 0.5), _DIGITS)
