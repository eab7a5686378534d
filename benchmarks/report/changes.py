"""Holds results against thresholds, and against those of another run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memzoo.benchmarks.results import Interval, Results
from memzoo.stores.errors import OptionError

__all__ = ["changes", "failing", "thresholds"]

_NAMES = {
    "recall": "covered",
    "whole": "whole",
    "answers": "answers",
    "judged": "judged",
    "corrected": "corrected",
}


def thresholds(given: Sequence[str]) -> dict[str, float]:
    """Read thresholds such as "recall=0.5".

    Raises:
        OptionError: One cannot be understood.
    """
    found: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            limit = float(value)
        except ValueError:
            limit = None
        if limit is None or name.strip() not in _NAMES:
            raise OptionError(
                f"--fail-under must be a figure and a share, such as recall=0.5; figures: {', '.join(_NAMES)}; "
                f"not {text!r}"
            )
        found[name.strip()] = limit
    return found


def failing(results: Results, limits: Mapping[str, float]) -> list[str]:
    """Say which thresholds are missed: the best memory of the main budget has to reach each."""
    budget, missed = results.main_budget, list[str]()
    for name, limit in limits.items():
        found = [one for row in results.competing if (one := _figure(row.budgets[budget], _NAMES[name]))]
        best = max((one.mean for one in found), default=None)
        if best is None or best < limit:
            said = "was not measured" if best is None else f"is {best:.2f} at best"
            missed.append(f"--fail-under: {name} {said} within {budget:,} tokens, and should be {limit:g}")
    return missed


def changes(results: Results, earlier: Mapping[str, Any]) -> Iterator[str]:
    """Say what is different from an earlier results.json, a line for each memory, budget and figure."""
    known = {row["memory"]["name"]: row for row in earlier["rows"]}
    names = [row.memory.name for row in results.rows]
    same = True
    for row in results.rows:
        for budget, figures in row.budgets.items():
            before = known.get(row.memory.name, {}).get("budgets", {}).get(str(budget))
            for line in _differences(figures, before) if before else ():
                same = False
                yield f"{row.memory.name}, {budget:,} tokens: {line}"
    for name in [*(one for one in names if one not in known), *(one for one in known if one not in names)]:
        same = False
        yield f"{name}: only in {'this run' if name in names else 'the earlier run'}"
    if same:
        yield "Nothing changed since the earlier run."


def _differences(figures: Any, before: Mapping[str, Any]) -> Iterator[str]:
    for title, name in _NAMES.items():
        new, old = _figure(figures, name), before.get(name)
        if new and old and abs(new.mean - old["mean"]) > 1e-9:  # noqa: PLR2004 - not the same at all
            apart = new.low > old["high"] or new.high < old["low"]
            yield f"{title} {old['mean']:.2f} -> {new.mean:.2f}{'' if apart else ' (intervals overlap)'}"
    if round(figures.tokens) != round(before["tokens"]):
        yield f"tokens {before['tokens']:,.0f} -> {figures.tokens:,.0f}"


def _figure(figures: Any, name: str) -> Interval | None:
    found: Interval | None = getattr(figures, name)
    return found
