"""What the bundled conversation costs with each memory, for the pages: the figures of `memzoo compare`."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memzoo.benchmarks import Row, compare, sample_transcripts
from memzoo.memories.strategies.named import SEVEN

FILE = Path(__file__).parent.parent.parent / "docs" / "measured.json"
_BUDGET = 1000


def measured_now(strategies: Iterable[str] = SEVEN) -> dict[str, Any]:
    """The figures of these strategies and of the baselines, as they are now."""
    found = compare(sample_transcripts(), list(strategies), counter="o200k_base", budgets=[_BUDGET])
    return {row.memory.name: _figures(row) for row in found.rows}


def stored() -> dict[str, Any]:
    """The figures of the pages."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def table() -> str:
    """The figures of the seven, and of the whole conversation."""
    head = ["| memory | tokens shown | model calls | upkeep tokens | evidence shown |", "|---|--:|--:|--:|--:|"]
    return "\n".join([*head, *map(_row, stored())])


def sentence(strategy: str) -> str:
    """The figures of one memory, or nothing if it was not compared."""
    if not (of := stored().get(strategy)):
        return ""
    upkeep = f" and {of['upkeep']:,} tokens of upkeep" if of["upkeep"] else ""
    return (
        f"Measured on [the bundled conversation](../choosing.md#what-each-costs) of {of['exchanges']} exchanges, each "
        f"exchange shows {of['tokens']:,} tokens of memory and takes {of['calls']:.2f} model calls{upkeep}."
    )


def _figures(row: Row) -> dict[str, Any]:
    figures, upkeep = row.budgets[_BUDGET], row.upkeep
    assert figures.covered, row
    return {
        "exchanges": row.exchanges,
        "tokens": round(figures.tokens),
        "calls": round(row.per_exchange(upkeep.calls), 2),
        "upkeep": round(row.per_exchange(upkeep.prompt_tokens + upkeep.completion_tokens)),
        "recall": round(figures.covered.mean, 2),
        "floor": row.memory.floor,
    }


def _row(name: str) -> str:
    of = stored()[name]
    recall = "at least " * of["floor"] + f"{of['recall']:.2f}"
    return f"| `{name}` | {of['tokens']:,} | {of['calls']:.2f} | {of['upkeep']:,} | {recall} |"
