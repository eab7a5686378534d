"""Results against thresholds, and against those of an earlier run."""

from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Results, Row
from memzoo.benchmarks.report.changes import changes, list_missed, thresholds
from memzoo.benchmarks.results import Interval
from memzoo.errors import OptionError


def interval(mean: float, apart: float = 0.1) -> Interval:
    """A mean with an interval that reaches so far to both sides."""
    return Interval(mean=mean, low=mean - apart, high=mean + apart, count=24)


def with_figures(row: Row, **figures: Any) -> Row:
    """A row with other figures at each budget."""
    at = {budget: one.model_copy(update=figures) for budget, one in row.budgets.items()}
    return row.model_copy(update={"budgets": at})


@pytest.fixture
def results(comparison: Comparison) -> Results:
    """Of two memories, at budgets of 250 and 1,000 tokens: recalls of .5 and .7."""
    rows = {row.memory.name: row for row in comparison.results.rows}
    shown = {"covered": interval(0.5), "tokens": 400.0}
    found = with_figures(rows["buffer"], **shown), with_figures(rows["window"], **shown | {"covered": interval(0.7)})
    return comparison.results.model_copy(update={"rows": found})


def changed(results: Results, **figures: Any) -> Results:
    """The same results, but for figures of the first memory."""
    first, *others = results.rows
    return results.model_copy(update={"rows": (with_figures(first, **figures), *others)})


def test_a_threshold_is_a_figure_and_a_share() -> None:
    """White space around the name is none of it; anything else is refused."""
    assert thresholds(["recall=0.5", " judged =1"], survival=False) == {"recall": 0.5, "judged": 1.0}
    for text in ("recall", "recall=", "recall=high", "beauty=0.5", "=0.5", "recall=nan", "recall=50"):
        with pytest.raises(OptionError, match=f"--fail-under {text!r} is not NAME=SHARE"):
            thresholds([text], survival=True)


def test_the_best_memory_has_to_reach_each_threshold(results: Results) -> None:
    """To reach it exactly will do; what is missed is told with what was reached, or that nothing was."""
    assert list_missed(results, {"recall": 0.7}) == []
    judged = "--fail-under: judged was not measured within 1,000 tokens, and should be 0.2"
    recall = "--fail-under: recall is 0.70 at best within 1,000 tokens, and should be 0.71"
    assert list_missed(results, {"judged": 0.2, "recall": 0.71}) == [judged, recall]


def test_the_same_results_did_not_change(results: Results) -> None:
    """Nor what is the same but for rounding."""
    said = ["Nothing changed since the earlier run."]
    assert changes(results, results) == said
    assert changes(changed(results, covered=interval(0.5 + 1e-12), tokens=400.3), results) == said


def test_each_figure_that_changed_has_a_line_for_each_budget(results: Results) -> None:
    """And whether the intervals hold each other."""
    assert changes(changed(results, covered=interval(0.55)), results) == [
        "buffer, 250 tokens: recall 0.50 -> 0.55 (intervals overlap)",
        "buffer, 1,000 tokens: recall 0.50 -> 0.55 (intervals overlap)",
    ]
    for mean in (0.1, 0.8):
        assert changes(changed(results, covered=interval(mean)), results)[1:] == [
            f"buffer, 1,000 tokens: recall 0.50 -> {mean:.2f}"
        ]


@pytest.mark.parametrize("mean", [0.25, 0.75])
def test_intervals_that_touch_overlap(results: Results, mean: float) -> None:
    """What lies at the very end of both may be the truth of both."""
    now, before = changed(results, covered=interval(mean, 0.125)), changed(results, covered=interval(0.5, 0.125))
    assert changes(now, before)[0].endswith("(intervals overlap)")


def test_tokens_that_changed_are_told(results: Results) -> None:
    """As whole numbers."""
    assert changes(changed(results, tokens=1234.4), results)[0] == "buffer, 250 tokens: tokens 400 -> 1,234"


def test_what_only_one_run_measured_is_not_compared(results: Results) -> None:
    """Memories of one run are named; its other budgets and figures are passed over."""
    buffer, window = results.rows
    here = results.model_copy(update={"rows": (buffer,)})
    there = results.model_copy(update={"rows": (window,)})
    assert changes(here, there) == ["buffer: only in this run", "window: only in the earlier run"]
    short = buffer.model_copy(update={"budgets": {1000: buffer.budgets[1000]}})
    other = results.model_copy(update={"rows": (with_figures(short, covered=None, tokens=401.0), window)})
    assert changes(results, other) == ["buffer, 1,000 tokens: tokens 401 -> 400"]
    assert changes(other, results) == ["buffer, 1,000 tokens: tokens 400 -> 401"]
    small = buffer.model_copy(update={"budgets": {250: buffer.budgets[250]}})
    here, there = (results.model_copy(update={"rows": (row, window)}) for row in (small, short))
    assert changes(here, there) == ["buffer: no budget was measured in both runs"]
    failed = here.model_copy(update={"rows": (buffer.model_copy(update={"budgets": {}, "error": "no connection"}),)})
    assert changes(failed, failed) == ["Nothing changed since the earlier run."]
    assert changes(failed, here)[:1] == ["buffer: failed in this run"]
    assert changes(here, failed)[:1] == ["buffer: failed in the earlier run"]
