"""The bars of the report: what an exchange costs, in money or tokens, and in model calls."""

from collections.abc import Mapping
from dataclasses import dataclass

from memzoo.benchmarks.results import Results

__all__ = ["Bars", "bars"]


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of bars, each of two parts.

    Attributes:
        title: What it shows.
        parts: What the two parts are.
        amounts: By the name of the memory: both parts.
        form: How the sum of both is written.
    """

    title: str
    parts: tuple[str, str]
    amounts: Mapping[str, tuple[float, float]]
    form: str

    @property
    def longest(self) -> float:
        """The longest bar, which has the whole width; never 0."""
        return max([*map(sum, self.amounts.values()), 1e-9])


def bars(results: Results) -> list[Bars]:
    """Draw cost, or tokens where there are no prices, and model calls."""
    budget, run = results.main_budget, results.run
    measured = {row.memory.name: row for row in results.rows if not row.error}
    if run.prices:
        title = f"What 1,000 exchanges cost{f', in {run.currency}' if run.currency else ''}"
        costs = {name: row.costs[budget] for name, row in measured.items() if row.costs}
        prices = {name: (cost.reading, cost.upkeep) for name, cost in costs.items()}
        spent = Bars(title, ("to read what is shown", "upkeep"), prices, "{:,.2f}")
    else:
        tokens = {name: (row.budgets[budget].tokens, row.upkeep_tokens) for name, row in measured.items()}
        spent = Bars("Tokens for an exchange", ("shown", "upkeep"), tokens, "{:,.0f}")
    calls = {
        name: (row.per_exchange(row.save.calls), row.per_exchange(row.load.calls))
        for name, row in measured.items()
        if not row.memory.baseline
    }
    return [spent, Bars("Model calls for an exchange", ("to save", "to load"), calls, "{:.2f}")]
