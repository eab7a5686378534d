"""What the bundled conversation costs with each memory, for the pages: the figures of `memzoo compare`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memzoo.benchmarks import Row, Settings, compare
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.memories import STRATEGIES

FILE = Path(__file__).parent.parent.parent / "docs" / "measured.json"
_BUDGET = 1000
_SYSTEM = 1600
_SENT, _RECEIVED = 0.25, 2.00
"""The dollars that gpt-5-mini takes for a million tokens sent and received; cached ones cost a tenth, as usual."""


def measured_now(strategies: Iterable[str] = STRATEGIES) -> dict[str, Any]:
    """The figures of these strategies, of what they learnt from a large model, and of the baselines now."""
    settings = Settings(counter="o200k_base", budgets=[_BUDGET], system_tokens=_SYSTEM)
    found = compare(sample_transcripts(), list(strategies), settings)
    return {row.memory.name: _figures(row) for row in found.rows}


def stored() -> dict[str, Any]:
    """The figures of the pages."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def table() -> str:
    """The figures of the seven, of what they learnt from a large model, and of the whole conversation."""
    head = [
        "| memory | tokens shown | paid | model calls | upkeep tokens | answers shown |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    return "\n".join([*head, *(_row(name, of) for name, of in stored().items())])


def dollars() -> str:
    """What 1,000 exchanges cost with some of the memories at the prices of gpt-5-mini."""
    rows = [_priced(name, stored()[name]) for name in ("window", "summary-buffer", "entity", "everything")]
    return "\n".join(["| memory | upkeep | reading | together |", "|---|--:|--:|--:|", *rows])


def sentence(strategy: str) -> str:
    """The figures of one memory, or nothing if it was not compared."""
    figures = stored()
    if not (of := figures.get(strategy)):
        return ""
    upkeep = f" ({of['upkeep']:,} tokens)" if of["upkeep"] else ""
    said = (
        f"On [the bundled conversation](../choosing.md#what-each-costs) of {of['exchanges']} exchanges, the memory "
        f"shows {of['tokens']:,} tokens and makes {of['calls']:.2f} model calls{upkeep} per exchange."
    )
    if learnt := figures.get(f"{strategy}*"):
        return (
            f"{said} Once a large model has learnt the conversation, {learnt['tokens']:,} tokens show "
            f"{learnt['answers']:.2f} of the answers to questions about it."
        )
    return f"{said} It shows {of['answers']:.2f} of the answers to questions about the conversation."


def _priced(name: str, of: Mapping[str, Any]) -> str:
    """A row, in dollars: the figures of one exchange in thousandths are those of a thousand exchanges."""
    upkeep = ((of["upkeep"] - of["received"]) * _SENT + of["received"] * _RECEIVED) / 1000
    reading = of["paid"] * _SENT / 1000
    return f"| `{name}` | {upkeep:.2f} | {reading:.2f} | {upkeep + reading:.2f} |"


def _figures(row: Row) -> dict[str, Any]:
    assert not row.error, row
    figures, upkeep = row.budgets[_BUDGET], row.upkeep
    assert figures.covered, row
    assert figures.answers, row
    return {
        "exchanges": row.exchanges,
        "tokens": round(figures.tokens),
        "paid": round(figures.paid or 0),
        "calls": round(row.per_exchange(upkeep.calls), 2),
        "upkeep": round(row.per_exchange(upkeep.prompt_tokens + upkeep.completion_tokens)),
        "received": round(row.per_exchange(upkeep.completion_tokens)),
        "answers": round(figures.answers.mean, 2),
        "recall": round(figures.covered.mean, 2),
        "floor": row.memory.floor,
    }


def _row(name: str, of: Mapping[str, Any]) -> str:
    answers = "at least " * of["floor"] + f"{of['answers']:.2f}"
    tokens = f"{of['tokens']:,} | {of['paid']:,}"
    return f"| `{name}` | {tokens} | {of['calls']:.2f} | {of['upkeep']:,} | {answers} |"
