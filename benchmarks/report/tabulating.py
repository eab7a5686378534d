"""Builds the table of a comparison: its columns, and flat records (dicts without nesting)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memzoo.benchmarks.measure.caching import CacheRule
from memzoo.benchmarks.measure.counting import APPROXIMATE
from memzoo.benchmarks.measure.statistics import Interval
from memzoo.benchmarks.outcomes import Survived
from memzoo.benchmarks.results import OFFLINE, UNREAD, Compared, Figures, Results, Row, total
from memzoo.benchmarks.verdict import write_number

Where: TypeAlias = Literal["terminal", "markdown", "page"]
"""The medium of a table: a narrow terminal, Markdown (without times, so equal inputs give equal text), or a page."""

_NOTHING = "–"
_INTERVALS = {
    "judged": ("judged\nright", "Share of the model's answers that the judge found right."),
    "answers": ("answers", "Share of the right answers that the view contains."),
    "covered": (
        "recall",
        "Share of the evidence (the messages with the answers) shown: whole, or half of a long one's runs of 5 words.",
    ),
    "whole": ("recall\nwhole", "Share of the evidence shown whole."),
    "corrected": (
        "corrected",
        "Share of the corrections shown, word for word or in other words.",
    ),
    "stale": ("stale", "Share of the corrections for which only the old statement was shown."),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        value: A function that returns the figure of a row; it returns `None` for a row without a figure.
        form: The format string for figures.
        text: A function that writes a row's cell; by default, `form` writes the figure.
    """

    title: str
    about: str
    value: Callable[[Row], float | None]
    form: str = "{:,.2f}"
    text: Callable[[Row], str] | None = None

    def cell(self, row: Row) -> str:
        """Return the text of a row's cell."""
        value = self.value(row)
        if self.text and value is not None:
            return self.text(row)
        return _NOTHING if value is None else self.form.format(value)

    def order(self, row: Row) -> float:
        """Return the number by which rows are sorted: the figure, or -1 for a row without one."""
        value = self.value(row)
        return -1 if value is None else value


def columns(comparison: Compared, budget: int, where: Where = "terminal") -> list[Column]:
    """Return the columns of figures in the table for a budget. Shares that were not measured have no column."""
    results = comparison.results
    shown = [
        _interval_column(name, budget, results, where)
        for name in _INTERVALS
        if any(row.figure(name, budget) for row in results.rows)
    ]
    if all(row.error or row.budgets[budget].covered == row.budgets[budget].whole for row in results.rows):
        shown = [one for one in shown if one.title != _INTERVALS["whole"][0]]
    costs = _cost_columns(results, budget)
    if results.run.survival:
        # On a terminal they replace the figures of questions, because the marked lines are the questions.
        shown = [*([] if where == "terminal" else shown), *_survival_columns(results, budget)]
    if where == "terminal":
        return _choose_columns(shown, [*_always(budget), _times_column(comparison)], costs)
    beside = [_beside_column(results, budget)] if best_name(results, budget) else []
    timed = [_times_column(comparison)] if where == "page" else []
    return [*shown, *beside, *_always(budget), *timed, *costs]


def _choose_columns(shown: list[Column], always: list[Column], costs: list[Column]) -> list[Column]:
    """Return the most useful columns for a terminal of 80 characters.

    The columns "recall whole", "cached" and those of shown tokens are left out; with a judge, "answers" is, too; with
    costs, the upkeep.
    """
    titles = [one.title for one in shown]
    spare = {_INTERVALS["whole"][0], _INTERVALS["answers"][0] if _INTERVALS["judged"][0] in titles else ""}
    left_out = ("cached", "tokens", "upkeep") if costs else ("cached", "tokens")
    always = [one for one in always if not one.title.startswith(left_out)]
    return [*(one for one in shown if one.title not in spare), *always, *costs[-1:]]


def best_name(results: Results, budget: int) -> str:
    """Return the name of the best memory within a budget; "" if there is nothing to compare."""
    return next((pair.best for pair in results.pairs if pair.budget == budget), "")


def share(found: Interval | None) -> str:
    """Return a share as text, with the distance to the farther end of its interval.

    Example:
        >>> share(Interval(mean=0.5, low=0.36, high=0.64, count=44)), share(None)
        ('.50 ±.14', '–')
    """
    if found is None:
        return _NOTHING
    apart = max(found.high - found.mean, found.mean - found.low)  # intervals of shares are not symmetric
    return f"{_two_digits(found.mean)} ±{_two_digits(apart)}"


def model_note(name: str) -> str:
    """Return the name of a model; for the offline model, also a note that its figures are lower bounds."""
    if name == OFFLINE:
        return "memzoo-offline-extractive: rules, not a language model; its figures are lower bounds"
    return name


def counter_note(name: str) -> str:
    """Return the name of the token counter; for the approximate counter, also a note that its counts are estimates."""
    return "approximate: estimated" if name == APPROXIMATE else name


def caption(comparison: Compared) -> list[tuple[str, str]]:
    """Return the notes below the table, as (name, text) pairs."""
    talks, run = comparison.results.talks, comparison.results.run
    titles = ", ".join(one.title for one in talks.first[:5]) + (", ..." if talks.count > 5 else "")  # noqa: PLR2004
    learnt = [row for row in comparison.rows if row.memory.learnt_by]
    said = f"{write_number(talks.exchanges, 'exchange')}, {write_number(talks.questions, 'question')}"
    several = (
        "a memory whose options name the budget runs once for each; its milliseconds are those of the run "
        f"for {write_number(comparison.results.main_budget, 'token')}"
    )
    known = [
        ("transcript", f"{titles} ({said})"),
        ("tokens counted by", counter_note(run.counter)),
        ("model", model_note(run.model)),
        ("with a star", ", ".join(dict.fromkeys(f"answered by {row.memory.learnt_by}" for row in learnt))),
        ("prompt cache", _cache_note(run.cache, run.system_tokens)),
        ("judge", run.judge),
        ("intervals", "95%, bootstrap over the questions" if talks.questions else ""),
        ("several budgets", several if len(run.budgets) > 1 else ""),
    ]
    return [(name, text) for name, text in known if text]


def _cache_note(cache: CacheRule, system_tokens: int) -> str:
    """Return a description of the cache rule, with the number of system tokens."""
    before = f"; {write_number(system_tokens, 'token')} before the memory" if system_tokens else ""
    if cache.read == 1:
        return f"no prompt cache: all tokens at the full price{before}"
    steps = f"in steps of {cache.step:,}" if cache.step else "in whole messages"
    written = f"; tokens written to the cache cost {cache.write:g} of it" if cache.write != 1 else ""
    kept = f"{cache.minimum:,} tokens on, {steps}, for {cache.seconds:,.0f} seconds"
    return (
        f"a beginning shared with the previous request costs {cache.read:g} of the price, from {kept}{written}{before}"
    )


def exclusions(comparison: Compared) -> list[str]:
    """Return sentences that say how many questions were not asked, and which evidence ids belong to no message."""
    talks = comparison.results.talks
    untrue = write_number(talks.adversarial, "adversarial question")
    unfounded = write_number(talks.without_evidence, "question")
    unusable = f"{write_number(len(talks.unusable), 'citation')} ({', '.join(talks.unusable)})"
    left_out = (
        (talks.adversarial, f"Not asked, because they have no true answer: {untrue}."),
        (talks.without_evidence, f"Not asked, because no evidence is known for them: {unfounded}."),
        (talks.unusable, f"Left out, because they name no message: {unusable}."),
    )
    return [text for found, text in left_out if found]


def _interval_column(name: str, budget: int, results: Results, where: Where) -> Column:
    title, about = _INTERVALS[name]

    def text(row: Row) -> str:
        found = row.figure(name, budget)
        if not found:
            return _NOTHING
        if not row.memory.floor:
            return _two_digits(found.mean) if where == "terminal" and name == "stale" else share(found)
        if results.talks.unread and row.memory.strategy in UNREAD:
            return "not measured" if name == first else _NOTHING
        # With rules a memory shows less, also of stale statements, so the figure is no lower bound for "stale".
        bound = _two_digits(found.mean)
        return _NOTHING if name == "stale" or bound == ".00" else f"≥ {bound}"

    first = next(name for name in _INTERVALS if any(row.figure(name, budget) for row in results.rows))
    return Column(title, about, lambda row: found.mean if (found := row.figure(name, budget)) else None, text=text)


def _survival_columns(results: Results, budget: int) -> list[Column]:
    def counted(title: str, about: str, count: Callable[[Figures], Survived | None], bound: str = "") -> Column:
        def value(row: Row) -> float | None:
            found = count(row.budgets[budget])
            return found.shown / found.of if found else None

        def text(row: Row) -> str:
            return f"{bound if row.memory.floor else ''}{count(row.budgets[budget])}"

        return Column(title, about, value, text=text)

    found = [
        counted("still\nshown", "Marked lines shown at the end, when questions ask for them.", Figures.at_end, "≥ "),
        Column(
            "talks\nlost",
            "Conversations without any marked line shown at the end.",
            lambda row: row.budgets[budget].lost_talks,
            text=lambda row: f"{row.budgets[budget].lost_talks} of {row.budgets[budget].marked_talks}",
        ),
        counted(
            "must not\nbe shown",
            "Statements shown as true of the user, although they must not be.",
            lambda figures: total(figures.unwanted),
        ),
        Column(
            "settle\ncalls",
            "Model calls of `settle` when nothing is left to learn.",
            lambda row: row.settled.calls,
            "{:,}",
        ),
    ]
    if results.run.relearn:
        about = "Marked lines shown at the end after the memory learnt the conversation anew."
        found.append(counted("learnt\nanew", about, lambda figures: total(figures.relearnt), "≥ "))
    return [one for one in found if any(not row.error and one.value(row) is not None for row in results.rows)]


def _beside_column(results: Results, budget: int) -> Column:
    pairs = {pair.other: pair for pair in results.pairs if pair.budget == budget}
    best = best_name(results, budget)

    def value(row: Row) -> float | None:
        pair = pairs.get(row.memory.name)
        return -pair.difference.mean if pair else 0.0 if row.memory.name == best else None

    def text(row: Row) -> str:
        if row.memory.name == best:
            return "best"
        pair = pairs[row.memory.name]
        return (
            "a tie"
            if pair.tied
            else f"-{share(pair.difference)}" + ("" if pair.distinguishable else ", not told apart")
        )

    about = "The difference from the memory with the highest figure, question by question, with its 95% interval."
    return Column("beside\nthe best", about, value, text=text)


def _always(budget: int) -> list[Column]:
    return [
        Column("tokens", "Mean tokens shown at an exchange.", lambda row: row.budgets[budget].tokens, "{:,.0f}"),
        Column(
            "cached\n%",
            "Share of the tokens sent for an exchange that the provider had cached, and charges less for.",
            lambda row: row.budgets[budget].cached,
            "{:.0%}",
        ),
        Column(
            "paid",
            "Price of a request, in tokens at the full price: the text before the memory, its view, the user's words.",
            lambda row: row.budgets[budget].paid,
            "{:,.0f}",
        ),
        Column(
            "calls",
            "Mean model calls for an exchange, to load and to save.",
            lambda row: row.per_exchange(row.budgets[budget].upkeep.calls),
        ),
        Column(
            "upkeep\ntokens",
            "Mean tokens that these calls sent and received for an exchange, and the share of the sent ones that the "
            'endpoint had cached, if reported; "?" if the model reports no tokens.',
            lambda row: row.upkeep_tokens(budget),
            text=lambda row: _describe_upkeep(row, budget),
        ),
    ]


def _describe_upkeep(row: Row, budget: int) -> str:
    spent = row.budgets[budget].upkeep
    if not row.budgets[budget].is_counted:
        return "?"
    cached = f" ({spent.cached_tokens / spent.prompt_tokens:.0%} cached)" if spent.cached_tokens else ""
    return f"{row.upkeep_tokens(budget):,.0f}{cached}"


def _times_column(comparison: Compared) -> Column:
    about = "Mean milliseconds for an exchange, to load and to save, model calls included."

    def value(row: Row) -> float | None:
        return None if row.memory.learnt_by else sum(comparison.times.get(row.memory.name, (0.0, 0.0)))

    return Column("ms", about, value, "{:,.1f}")


def _cost_columns(results: Results, budget: int) -> list[Column]:
    run = results.run
    if not run.prices:
        return []
    unit = f"\n{run.currency}" if run.currency else ""
    about = (
        'For 1,000 exchanges like these: upkeep, and a view read by the model at each exchange; "?" if the model '
        "reports no tokens."
    )
    return [
        Column(
            f"cost\n/1,000{unit}",
            about,
            lambda row: row.costs[budget].total if row.costs else None,
            text=lambda row: f"{row.costs[budget].total:,.2f}" if row.budgets[budget].is_counted else "?",
        )
    ]


def records(comparison: Compared) -> list[dict[str, Any]]:
    """Return a flat record for each memory and budget. A memory that failed has one record with its error."""
    return [
        record
        for row in comparison.rows
        for record in ([_record(comparison, row, budget) for budget in row.budgets] or [_error_record(row)])
    ]


def _error_record(row: Row) -> dict[str, Any]:
    return {"memory": row.memory.name, "baseline": row.memory.baseline, "error": row.error}


def _record(comparison: Compared, row: Row, budget: int) -> dict[str, Any]:
    figures = row.budgets[budget]
    record: dict[str, Any] = {
        "memory": row.memory.name,
        "budget": budget,
        "baseline": row.memory.baseline,
        "floor": row.memory.floor,
        "questions": figures.questions,
    }
    for name in ("covered", "whole", "complete", "answers", "judged", "corrected", "stale"):
        found = row.figure(name, budget)
        record[name] = found.mean if found else None
        record[f"{name}_low"] = found.low if found else None
        record[f"{name}_high"] = found.high if found else None
    unwanted = total(figures.unwanted)
    record["survival"] = figures.survival.mean if figures.survival else None
    record |= {"lost_talks": figures.lost_talks, "unwanted": unwanted.shown if unwanted else None}
    record |= {"tokens": figures.tokens, "tokens_at_end": figures.tokens_at_end}
    record |= {"sent": figures.sent, "cached": figures.cached, "paid": figures.paid}
    record["calls"] = row.per_exchange(figures.upkeep.calls)
    cached = row.per_exchange(figures.upkeep.cached_tokens)
    record |= {"upkeep_tokens": row.upkeep_tokens(budget), "upkeep_cached": cached}
    load, save = comparison.times.get(row.memory.name, (0.0, 0.0))
    cost = row.costs[budget].total if row.costs and figures.is_counted else None
    return record | {"load_ms": load, "save_ms": save, "cost": cost, "failed": row.failed, "error": row.error}


def _two_digits(value: float) -> str:
    """Return a share, or a difference of shares, with two digits and without a leading zero."""
    return f"{value:.2f}".replace("0.", ".")
