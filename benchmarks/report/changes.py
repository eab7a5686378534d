"""Holds results against thresholds, and against those of another run."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from memzoo.benchmarks.results import Results, Row
from memzoo.errors import OptionError

__all__ = ["changes", "earlier_results", "failing", "thresholds"]

_NAMES = {"recall": "covered", **{name: name for name in ("whole", "answers", "judged", "corrected")}}
"""Figures by the name that the command has for them."""


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
        found = [one.mean for row in results.competing if (one := row.figure(_NAMES[name], budget))]
        if not found or max(found) < limit:
            said = f"is {max(found):.2f} at best" if found else "was not measured"
            missed.append(f"--fail-under: {name} {said} within {budget:,} tokens, and should be {limit:g}")
    return missed


def earlier_results(path: Path | None) -> Results | None:
    """Read the results of another run, if a file of them is named.

    Raises:
        OptionError: They cannot be read.
    """
    if path is None:
        return None
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OptionError(f"--baseline {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise OptionError(f"--baseline {path} is no results.json of this version of memzoo compare") from error


def changes(results: Results, earlier: Results) -> list[str]:
    """Say what is different from earlier results, a line for each memory, budget and figure."""
    now, before = ({row.memory.name: row for row in some.rows} for some in (results, earlier))
    said = [
        f"{name}, {budget:,} tokens: {line}"
        for name, row in now.items()
        if name in before
        for budget in row.budgets
        if budget in before[name].budgets
        for line in _differences(row, before[name], budget)
    ]
    said += [f"{name}: only in this run" for name in now if name not in before]
    said += [f"{name}: only in the earlier run" for name in before if name not in now]
    return said or ["Nothing changed since the earlier run."]


def _differences(row: Row, earlier: Row, budget: int) -> Iterator[str]:
    for title, name in _NAMES.items():
        new, old = row.figure(name, budget), earlier.figure(name, budget)
        if new and old and abs(new.mean - old.mean) > 1e-9:  # noqa: PLR2004 - not the same at all
            apart = new.low > old.high or new.high < old.low
            yield f"{title} {old.mean:.2f} -> {new.mean:.2f}{'' if apart else ' (intervals overlap)'}"
    tokens, shown = earlier.budgets[budget].tokens, row.budgets[budget].tokens
    if round(shown) != round(tokens):
        yield f"tokens {tokens:,.0f} -> {shown:,.0f}"
