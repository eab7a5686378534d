"""What stands in the table of a comparison."""

from typing import Any

import pytest

from memzoo.benchmarks import Comparison, Row
from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.report.tabulating import Column, Where, caption, columns, counter_note, model_note, records
from memzoo.benchmarks.results import Interval, TalkInfo

TITLES = {
    "terminal": ["answers", "recall", "corrected", "stale", "paid", "calls", "ms", "cost /1,000 USD"],
    "markdown": [
        *("answers", "recall", "recall whole", "corrected", "stale", "beside the best", "tokens"),
        *("cached %", "paid", "calls", "upkeep tokens", "cost /1,000 USD"),
    ],
}


def changed(comparison: Comparison, at: dict[str, dict[str, Any]] | None = None, **run: Any) -> Comparison:
    """The same comparison with another run, and with other figures of some memories; `""` for all the others."""
    rows: list[Row] = []
    for row in comparison.results.rows:
        figures = (at or {}).get(row.memory.name, (at or {}).get("", {}))
        budgets = {budget: one.model_copy(update=figures) for budget, one in row.budgets.items()}
        rows.append(row.model_copy(update={"budgets": budgets}))
    results = comparison.results
    changes = {"rows": tuple(rows), "run": results.run.model_copy(update=run)}
    return Comparison(results.model_copy(update=changes), comparison.times)


def titles(comparison: Comparison, where: Where) -> list[str]:
    """The titles of the columns."""
    return [one.title.replace("\n", " ") for one in columns(comparison, 1000, where)]


def column(comparison: Comparison, title: str, where: Where = "markdown") -> Column:
    """A column by its title."""
    return next(one for one in columns(comparison, 1000, where) if one.title.replace("\n", " ") == title)


def row_of(comparison: Comparison, name: str) -> Row:
    """The row of a memory."""
    return next(row for row in comparison.rows if row.memory.name == name)


class TestColumns:
    """Which there are."""

    @pytest.mark.parametrize("where", ["terminal", "markdown"])
    def test_a_terminal_has_room_for_what_tells_most(self, comparison: Comparison, where: Where) -> None:
        """Times differ at each run, so that Markdown has none; a page has all."""
        assert titles(comparison, where) == TITLES[where]
        assert set(titles(comparison, "page")) == {*TITLES["markdown"], "ms"}

    def test_what_a_judge_says_stands_for_what_words_say(self, comparison: Comparison) -> None:
        """In a terminal; elsewhere there is room for both."""
        judged = Interval(mean=0.5, low=0.4, high=0.6, count=24)
        comparison = changed(comparison, {"window": {"judged": judged}})
        assert titles(comparison, "terminal")[:2] == ["judged right", "recall"]
        assert titles(comparison, "markdown")[:2] == ["judged right", "answers"]

    def test_figures_that_say_the_same_stand_once(self, comparison: Comparison) -> None:
        """Whole evidence is told where it differs from covered evidence, and be it for one memory."""
        figure = row_of(comparison, "window").budgets[1000].covered
        same = {"covered": figure, "whole": figure}
        assert "recall whole" not in titles(changed(comparison, {"": same}), "markdown")
        one = changed(comparison, {"": same, "window": same | {"whole": None}})
        assert "recall whole" in titles(one, "markdown")

    def test_what_nobody_has_a_figure_for_is_left_out(self, comparison: Comparison) -> None:
        """And what but one has one for is there."""
        none = changed(comparison, {"": {"stale": None}})
        assert "stale" not in titles(none, "markdown")
        figure = row_of(comparison, "window").budgets[1000].stale
        assert "stale" in titles(changed(none, {"window": {"stale": figure}}), "markdown")

    def test_money_is_told_where_there_are_prices(self, comparison: Comparison) -> None:
        """Of 1,000 exchanges."""
        assert titles(comparison, "markdown")[-1] == "cost /1,000 USD"
        assert titles(changed(comparison, prices={}), "markdown")[-1] == "upkeep tokens"
        assert titles(changed(comparison, prices={}), "terminal")[-3:] == ["calls", "upkeep tokens", "ms"]

    def test_money_that_nobody_counted_is_not_told(self, comparison: Comparison) -> None:
        """The calls of a model that reports no tokens are not free."""
        cost, row = columns(comparison, 1000, "markdown")[-1], row_of(comparison, "entity")
        assert cost.cell(row) == "1,235.00"
        silent = {1000: row.budgets[1000].model_copy(update={"upkeep": Sum(calls=9)})}
        assert cost.cell(row.model_copy(update={"budgets": silent})) == "?"


class TestCells:
    """What stands in them."""

    def test_a_figure_has_the_wider_half_of_its_interval(self, comparison: Comparison) -> None:
        """Of a lower bound there is none; what was not measured is a dash, and sorted last."""
        answers = column(comparison, "answers")
        said = [answers.cell(row_of(comparison, name)) for name in ("window", "everything", "entity", "none")]
        assert said == [".18 ±.14", "1.00 ±.13", "≥ .45", ".00 ±.14"]
        unknown = row_of(changed(comparison, {"window": {"answers": None}}), "window")
        assert answers.cell(unknown) == "–"
        assert answers.order(unknown) < answers.order(row_of(comparison, "none")) == 0

    def test_in_a_terminal_it_is_brief(self, comparison: Comparison) -> None:
        """A bound is a sign, and what is stale has no interval."""
        assert column(comparison, "answers", "terminal").cell(row_of(comparison, "entity")) == "≥ .45"
        assert column(comparison, "answers", "terminal").cell(row_of(comparison, "window")) == ".18 ±.14"
        assert column(comparison, "stale", "terminal").cell(row_of(comparison, "window")) == ".06"

    def test_upkeep_is_unknown_where_the_model_does_not_tell(self, comparison: Comparison) -> None:
        """Without calls it is 0."""
        upkeep, silent = column(comparison, "upkeep tokens"), Sum(calls=76)
        entity = row_of(comparison, "entity")
        untold = entity.model_copy(
            update={"budgets": {1000: entity.budgets[1000].model_copy(update={"upkeep": silent})}}
        )
        rows = row_of(comparison, "window"), row_of(comparison, "entity"), untold
        assert [upkeep.cell(row) for row in rows] == ["0", "1,420", "?"]

    def test_the_best_is_above_all_that_stand_beside_it(self, comparison: Comparison) -> None:
        """By how much, and whether they can be told apart; what was not compared with it is a dash."""
        beside = column(comparison, "beside the best")
        best = comparison.results.pairs[0].best
        said = {name: beside.cell(row_of(comparison, name)) for name in (best, "window", "vector-retriever", "none")}
        assert list(said.values()) == ["best", "-.20 ±.14", "-.20 ±.14, not told apart", "–"]
        assert beside.order(row_of(comparison, best)) > beside.order(row_of(comparison, "window")) == -0.2

    def test_the_best_is_that_of_the_budget(self, comparison: Comparison) -> None:
        """Each budget has one of its own, as far as anything was compared there."""
        pairs = [one.model_copy(update={"best": "window"}) for one in comparison.results.pairs if one.budget == 250]
        results = comparison.results.model_copy(update={"pairs": tuple(pairs)})
        assert "beside the best" not in titles(Comparison(results, {}), "markdown")
        (beside,) = (
            one for one in columns(Comparison(results, {}), 250, "markdown") if one.title == "beside\nthe best"
        )
        assert beside.cell(row_of(comparison, "window")) == "best"

    def test_what_was_not_timed_took_no_time(self, comparison: Comparison) -> None:
        """And what was learnt beforehand has no time at all."""
        assert column(comparison, "ms", "terminal").cell(row_of(comparison, "window")) == "16.8"
        untimed = Comparison(comparison.results, {})
        assert column(untimed, "ms", "terminal").cell(row_of(comparison, "window")) == "0.0"
        assert [records(untimed)[2][name] for name in ("load_ms", "save_ms")] == [0, 0]
        row = row_of(comparison, "window")
        learnt = row.model_copy(update={"memory": row.memory.model_copy(update={"learnt_by": "somebody"})})
        assert column(comparison, "ms", "terminal").cell(learnt) == "–"


class TestNotes:
    """What a reader has to know."""

    @pytest.mark.parametrize(("count", "told"), [(1, "a0"), (5, "a0, a1, a2, a3, a4"), (6, "a0, a1, a2, a3, a4, ...")])
    def test_the_first_five_conversations_are_named(self, comparison: Comparison, count: int, told: str) -> None:
        """With how much was said and asked in all of them."""
        first = tuple(TalkInfo(title=f"a{place}", exchanges=1, messages=2, questions=1) for place in range(count))
        talks = comparison.results.talks.model_copy(update={"first": first, "count": count})
        notes = caption(Comparison(comparison.results.model_copy(update={"talks": talks}), {}))
        assert dict(notes)["transcript"] == f"{told} (76 exchanges, 24 questions)"

    def test_intervals_are_explained_where_there_are_questions(self, comparison: Comparison) -> None:
        """And a star where something was learnt beforehand, once for all who have one."""
        assert dict(caption(comparison))["intervals"] == "95%, bootstrap over the questions"
        assert "with a star" not in dict(caption(comparison))
        talks = comparison.results.talks.model_copy(update={"questions": 0})
        rows = [
            row.model_copy(update={"memory": row.memory.model_copy(update={"learnt_by": "somebody"})})
            for row in comparison.rows
        ]
        results = comparison.results.model_copy(update={"talks": talks, "rows": tuple(rows)})
        notes = dict(caption(Comparison(results, {})))
        assert "intervals" not in notes
        assert notes["with a star"] == "answered by somebody"

    def test_rules_and_estimates_are_called_so(self) -> None:
        """A model and a tokenizer have a name."""
        assert "lower bound" in model_note("offline")
        assert model_note("gpt") == "gpt"
        assert counter_note("approximate") == "approximate: estimated"
        assert counter_note("o200k_base") == "o200k_base"


def test_each_memory_and_budget_has_a_record(comparison: Comparison) -> None:
    """What failed has one with its error."""
    found = records(comparison)
    assert [(one["memory"], one.get("budget")) for one in found[2:6]] == [
        *(("buffer", 250), ("buffer", 1000)),
        *(("window", 250), ("window", 1000)),
    ]
    (failed,) = (one for one in found if one["memory"] == "broken")
    assert failed["error"].startswith("the model cannot be reached")
    assert "budget" not in failed
