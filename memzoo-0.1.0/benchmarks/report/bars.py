"""The bars of the report: what an exchange costs, in money or tokens, and in model calls."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memzoo.benchmarks.report.charts import colours_of
from memzoo.benchmarks.results import Results, Row

__all__ = ["Bar", "Bars", "bars"]


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of two parts.

    Attributes:
        name: The memory's.
        colour: Of the first part; the second one is paler.
        parts: In per cent of the longest bar.
        text: Its amount.
        muted: Whether it belongs to a baseline.
    """

    name: str
    colour: str
    parts: tuple[float, float]
    text: str
    muted: bool


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of bars: its title, what their parts are, and the bars."""

    title: str
    parts: tuple[str, str]
    bars: Sequence[Bar]


def bars(results: Results) -> list[Bars]:
    """Draw cost, or tokens where there are no prices, and model calls."""
    budget, run = results.main_budget, results.run
    measured = [row for row in results.rows if not row.error]

    def cost(row: Row) -> tuple[float, float]:
        return row.costs[budget].reading, row.costs[budget].upkeep

    def tokens(row: Row) -> tuple[float, float]:
        return row.budgets[budget].tokens, row.per_exchange(row.upkeep.prompt_tokens + row.upkeep.completion_tokens)

    def calls(row: Row) -> tuple[float, float]:
        return row.per_exchange(row.save.calls), row.per_exchange(row.load.calls)

    if run.prices:
        priced = [row for row in measured if row.costs]
        title = f"What 1,000 exchanges cost{f', in {run.currency}' if run.currency else ''}"
        first = Bars(title, ("to read what is shown", "upkeep"), _bars(results, priced, cost, "{:,.2f}"))
    else:
        first = Bars("Tokens for an exchange", ("shown", "upkeep"), _bars(results, measured, tokens, "{:,.0f}"))
    asked = [row for row in measured if not row.memory.baseline]
    return [first, Bars("Model calls for an exchange", ("to save", "to load"), _bars(results, asked, calls, "{:.2f}"))]


def _bars(results: Results, rows: Iterable[Row], amounts: Callable[[Row], tuple[float, float]], form: str) -> list[Bar]:
    found = {row.memory.name: amounts(row) for row in rows}
    most = max([*map(sum, found.values()), 1e-9])
    baselines = {row.memory.name for row in results.rows if row.memory.baseline}
    colours = colours_of(results.rows)
    return [
        Bar(
            name,
            colours[name],
            (round(100 * both[0] / most, 2), round(100 * both[1] / most, 2)),
            form.format(sum(both)),
            name in baselines,
        )
        for name, both in found.items()
    ]
