"""A comparison as flat records: a line for each memory and budget."""

from typing import Any

from memzoo.benchmarks.comparing import Comparison
from memzoo.benchmarks.results import Interval, Row

__all__ = ["records"]

_INTERVALS = ("covered", "whole", "complete", "answers", "judged", "corrected", "stale")


def records(comparison: Comparison) -> list[dict[str, Any]]:
    """A flat record for each memory and budget; a memory without a result has one with its error."""
    return [
        record
        for row in comparison.rows
        for record in ([_record(comparison, row, budget) for budget in row.budgets] or [_failed(row)])
    ]


def _failed(row: Row) -> dict[str, Any]:
    return {"memory": row.memory.name, "baseline": row.memory.baseline, "error": row.error}


def _record(comparison: Comparison, row: Row, budget: int) -> dict[str, Any]:
    figures = row.budgets[budget]
    record: dict[str, Any] = {
        "memory": row.memory.name,
        "budget": budget,
        "baseline": row.memory.baseline,
        "floor": row.memory.floor,
        "questions": figures.questions,
    }
    for name in _INTERVALS:
        found: Interval | None = getattr(figures, name)
        record[name] = found.mean if found else None
        record[f"{name}_low"] = found.low if found else None
        record[f"{name}_high"] = found.high if found else None
    record |= {"tokens": figures.tokens, "tokens_at_end": figures.tokens_at_end}
    record["calls"] = row.per_exchange(row.upkeep.calls)
    record["upkeep_tokens"] = row.per_exchange(row.upkeep.prompt_tokens + row.upkeep.completion_tokens)
    load, save = comparison.times.get(row.memory.name, (0.0, 0.0))
    cost = row.costs[budget].total if row.costs else None
    return record | {"load_ms": load, "save_ms": save, "cost": cost, "failed": row.failed, "error": row.error}
