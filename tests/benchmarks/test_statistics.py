"""Intervals and differences."""

import random

from memzoo.benchmarks.measure.statistics import difference, interval


def test_the_interval_holds_the_mean_as_often_as_it_should() -> None:
    """Of 200 samples from a known distribution, about 95% have it in their interval."""
    chance = random.Random(5)  # noqa: S311 - no secret
    held = 0
    for _ in range(200):
        found = interval([chance.random() < 0.4 for _ in range(80)])
        assert found is not None
        held += found.low <= 0.4 <= found.high
    assert 180 <= held <= 199


def test_the_same_values_have_the_same_interval() -> None:
    """In whatever order; the seed is fixed."""
    assert interval([0, 1, 0.5, 1]) == interval([1, 1, 0, 0.5])


def test_nothing_known_is_no_figure() -> None:
    """Unknown values are left out."""
    assert interval([None, None]) is None
    found = interval([1, None, 0])
    assert found is not None
    assert (found.mean, found.count) == (0.5, 2)


def test_a_difference_is_taken_question_by_question() -> None:
    """What one memory is always a little better at is told apart, though the figures themselves are spread wide."""
    one = {place: (place % 10) / 10 + 0.05 for place in range(100)}
    other = {place: (place % 10) / 10 for place in range(100)}
    apart = difference(one, other)
    assert apart is not None
    assert 0 < apart.low <= apart.mean <= apart.high
    alone = interval(list(other.values()))
    assert alone is not None
    assert alone.high - alone.low > 0.05


def test_only_what_both_were_asked_is_compared() -> None:
    """Otherwise the questions would differ, not the memories."""
    apart = difference({1: 1.0, 2: 0.0}, {2: 0.0, 3: 1.0})
    assert apart is not None
    assert (apart.mean, apart.count) == (0, 1)


def test_the_interval_is_one_of_95_per_cent() -> None:
    """As wide as theory has it for a share of a half among 400: 1.96 times .025 to each side, not 1.64 times."""
    found = interval([place % 2 for place in range(400)])
    assert found is not None
    assert 0.046 <= found.mean - found.low <= 0.053
    assert 0.046 <= found.high - found.mean <= 0.053


def test_figures_have_six_digits() -> None:
    """More would differ between machines."""
    found = interval([1, 0, 0])
    assert found is not None
    assert found.mean == 0.333333
