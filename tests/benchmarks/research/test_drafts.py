"""How far drafted questions rank memories as real ones do."""

import numpy as np
import pytest

from memzoo.benchmarks.research.drafts import agreement_of_rankings, tau


def test_rankings() -> None:
    """1 for the same order, -1 for the opposite, between them for one that differs in a pair; ties count half."""
    assert tau([1, 2, 3], [1, 3, 2]) == pytest.approx(1 / 3)
    assert tau([3, 3, 1], [2, 1, 0]) == pytest.approx(2 / 6**0.5)


def test_agreement_is_sure_where_marks_are_clear() -> None:
    """The interval is narrow where each question says the same, and holds 0 where none says anything."""
    clear = {name: np.full(30, share) for name, share in (("a", 0.1), ("b", 0.5), ("c", 0.9))}
    assert agreement_of_rankings(clear, clear, draws=50) == (1.0, 1.0, 1.0)
    random = np.random.default_rng(1)
    noise = [{name: random.integers(0, 2, 30).astype(float) for name in "abcd"} for _ in range(2)]
    _, low, high = agreement_of_rankings(*noise, draws=200)
    assert low < 0 < high
