"""How far figures of a retrieval run may be trusted: intervals, and differences question by question."""

from collections.abc import Callable, Mapping, Sequence

from memzoo.benchmarks.measure.statistics import difference, interval
from memzoo.benchmarks.research.retrieving import Found
from memzoo.benchmarks.research.tables import table
from memzoo.benchmarks.results import Interval

__all__ = ["apart", "difference_shown", "intervals_table", "mean_shown", "paired_table", "spread"]


def spread(found: Sequence[Found], budget: int) -> Interval | None:
    """The mean recall at a budget, with its 95% interval."""
    return interval([one.recall for one in found if one.budget == budget])


def apart(first: Sequence[Found], other: Sequence[Found], budget: int) -> Interval | None:
    """How much more the first finds at a budget than the other, question by question, with its 95% interval."""
    one, two = (dict(enumerate(one.recall for one in found if one.budget == budget)) for found in (first, other))
    return difference(one, two)


def mean_shown(values: Sequence[float]) -> str:
    """A mean, and between which figures it lies in 95 of 100 samples of the questions.

    Example:
        >>> mean_shown([1, 1, 1, 0])
        '0.750 (0.250-1.000)'
    """
    known = interval(values)
    return f"{known.mean:.3f} ({_interval(known)})" if known else ""


def difference_shown(known: Interval | None) -> str:
    """A difference, with its sign, and its interval."""
    return f"{known.mean:+.3f} ({known.low:+.3f} to {known.high:+.3f})" if known else ""


def intervals_table(found: Mapping[str, Sequence[Found]]) -> str:
    """The 95% interval of each figure of recall."""
    return _table("95% intervals of the recall", found, lambda name, at: _interval(spread(found[name], at)))


def paired_table(found: Mapping[str, Sequence[Found]]) -> str:
    """What the first finds more than each of the others, question by question."""
    first, *others = found
    title = f"{first}'s recall less that of each of the others, question by question: mean and 95% interval"
    some = {name: found[name] for name in others}
    return _table(title, some, lambda name, at: difference_shown(apart(found[first], found[name], at)))


def _table(title: str, found: Mapping[str, Sequence[Found]], cell: Callable[[str, int], str]) -> str:
    budgets = sorted({one.budget for some in found.values() for one in some})
    rows = [[name, *(cell(name, budget) for budget in budgets)] for name in found]
    return table(["", *(f"{budget:,} tokens" for budget in budgets)], rows, title)


def _interval(known: Interval | None) -> str:
    return f"{known.low:.3f}-{known.high:.3f}" if known else ""
