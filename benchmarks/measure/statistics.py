"""Computes means and paired differences with 95% intervals, by bootstrap with a fixed seed."""

import functools
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy

from memzoo.benchmarks.outcomes import Shape

_RESAMPLES = 2_000
_SEED = 0
_DIGITS = 6
_ERROR = 0.05


class Interval(Shape):
    """A mean over questions, with its 95% interval (by bootstrap)."""

    mean: float
    low: float
    high: float
    count: int


class Pair(Shape):
    """The best memory and another memory within a budget, compared question by question.

    Attributes:
        budget: The budget in tokens.
        measure: The name of the compared figure: "covered", "answers" or "judged".
        best: The name of the memory with the highest figure.
        other: The name of the other memory.
        difference: The figure of the best minus the figure of the other, with its interval.
        distinguishable: True if the interval lies above 0.
    """

    budget: int
    measure: str
    best: str
    other: str
    difference: Interval
    distinguishable: bool

    @property
    def tied(self) -> bool:
        """True if both memories have equal figures."""
        return self.difference.mean == 0


def interval(values: Sequence[float | bool | None]) -> Interval | None:
    """Return the mean of values with its 95% interval; `None` if there are no numbers.

    `None` values are left out.

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


@functools.lru_cache(maxsize=1024)  # many figures have the same values equally often, such as zeros and ones
def _ends(different: tuple[float, ...], counts: tuple[int, ...]) -> tuple[float, float]:
    number, of_each = sum(counts), numpy.array(counts)
    # Draws the counts of the values instead of single values, so the cost does not depend on the number of questions.
    drawn = numpy.random.default_rng(_SEED).multinomial(number, of_each / number, _RESAMPLES)
    means = drawn @ numpy.array(different) / number
    # The ends are drawn means, not points between two of them.
    low, high = numpy.percentile(means, [2.5, 97.5], method="closest_observation")
    return float(low), float(high)


def difference(one: Mapping[int, float], other: Mapping[int, float]) -> Interval | None:
    """Return the mean difference between two memories' scores for the same questions, with its 95% interval.

    Return `None` if they have no question in common.
    """
    # Rounded, so that equal differences count as one value.
    return interval([round(one[place] - other[place], _DIGITS) for place in one.keys() & other.keys()])


def most_behind(shares: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    """Return a dict from each memory to the largest likely distance by which another memory beats its mean score.

    With 95% certainty, the true distance is no larger. Even for equal scores, the result is above 0, because the
    questions are only a sample.

    Args:
        shares: For each memory, a dict from question number to the memory's score for it, from 0 to 1.

    Example:
        >>> same = dict.fromkeys(range(30), 1.0)
        >>> {name: round(most, 2) for name, most in most_behind({"one": same, "other": same}).items()}
        {'one': 0.09, 'other': 0.09}
    """
    # The more memories, the wider the intervals, because one of many may be lucky.
    width = NormalDist().inv_cdf(1 - _ERROR / len(shares))
    return {
        name: max((_most_less(found, other, width) for beside, other in shares.items() if beside != name), default=0.0)
        for name, found in shares.items()
    }


def _most_less(one: Mapping[int, float], other: Mapping[int, float], width: float) -> float:
    """Return the upper end of the interval of the mean of `other - one`; 1 if they have no question in common.

    If all differences are 0, a bootstrap gives an interval without width. So two questions are added, one answered only
    by the first memory and one only by the second (for shares of 0 or 1, this is Bonett and Price's interval).
    """
    apart = [other[place] - one[place] for place in one.keys() & other.keys()]
    if not apart:
        return 1.0
    padded = numpy.array([*apart, 1.0, -1.0])
    return round(float(padded.mean() + width * padded.std() / len(padded) ** 0.5), _DIGITS)
