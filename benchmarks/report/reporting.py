"""Writes a comparison: a table for the terminal, results and timings as JSON, and a page of HTML."""

import importlib.metadata
import json
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from memzoo.benchmarks.measure.comparing import Comparison, Prices, Row, Score
from memzoo.benchmarks.report.pages import page
from memzoo.benchmarks.report.tabulating import caption, columns, counter_note, exclusions, model_note, troubles
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories import Spent

__all__ = ["results", "table", "timings", "write_report"]

_DIGITS = 6


def table(comparison: Comparison) -> Group:
    """Draw the table for a terminal: a line for each strategy, between the two baselines."""
    notes = [f"{name}: {text}" for name, text in caption(comparison)] + exclusions(comparison) + troubles(comparison)
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0)
    drawn.add_column("strategy", no_wrap=True)
    shown = [column for column in columns(comparison) if not column.wide]
    for column in shown:
        drawn.add_column(column.title, justify="right")
    for row, following in zip(comparison.rows, [*comparison.rows[1:], None], strict=True):
        cells = ["failed" if row.error else column.cell(row) for column in shown[: 1 if row.error else None]]
        framed = following is not None and row.scenario.baseline != following.scenario.baseline
        drawn.add_row(row.scenario.name, *cells, style=_style(comparison, row), end_section=framed)
    return Group(drawn, Text("\n".join(["", *notes]), style="dim"))


def results(comparison: Comparison) -> dict[str, Any]:
    """Collect all results as JSON values: the same for the same inputs, on any machine and at any time."""
    return {
        "format": 1,
        "memzoo": importlib.metadata.version("memzoo"),
        "budget": comparison.budget,
        "model": model_note(comparison.model),
        "token_counter": counter_note(comparison.counter),
        "prices_per_million": list(comparison.prices) if comparison.prices else None,
        "transcripts": [_transcript(one) for one in comparison.transcripts],
        "strategies": {row.scenario.name: _strategy(comparison, row) for row in comparison.rows},
        "questions": _questions(comparison),
    }


def timings(comparison: Comparison) -> dict[str, Any]:
    """Collect the timings, in seconds, as JSON values; they differ from run to run."""
    return {
        row.scenario.name: {
            "load_per_exchange": row.seconds[0],
            "save_per_exchange": row.seconds[1],
            "waiting_for_models": row.upkeep.seconds + row.asking.seconds,
        }
        for row in comparison.completed
    }


def write_report(comparison: Comparison, folder: Path, *, page_too: bool = True) -> list[Path]:
    """Write results.json, timings.json and, unless told otherwise, report.html into a folder, and return their paths.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    texts = {"report.html": page(comparison)} if page_too else {}
    texts |= {"results.json": _json(results(comparison)), "timings.json": _json(timings(comparison))}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


def _style(comparison: Comparison, row: Row) -> str:
    if row.error:
        return "red"
    if row.scenario.baseline:
        return "dim"
    return "bold" if row in comparison.best else ""


def _transcript(one: Transcript) -> dict[str, Any]:
    return {
        "title": one.title,
        "exchanges": len(one.exchanges),
        "messages": sum(len(exchange.messages) for exchange in one.exchanges),
        "questions_asked": len(one.measured),
        "questions_adversarial": one.adversarial,
        "questions_without_evidence": one.without_evidence,
        "unusable_evidence": list(one.unusable_evidence),
    }


def _strategy(comparison: Comparison, row: Row) -> dict[str, Any]:
    about = {
        "about": row.scenario.about,
        "baseline": row.scenario.baseline,
        "options": dict(row.scenario.options(comparison.budget)),
    }
    if row.error:
        return {**about, "error": row.error}
    return {
        **about,
        **_score(row.score),
        "by_category": {name: _score(score) for name, score in comparison.by_category(row).items()},
        "tokens_shown": {
            "mean": round(row.tokens, _DIGITS),
            "at_end": round(row.tokens_at_end, _DIGITS),
            "by_exchange": [[step.tokens for step in one.steps] for one in row.measurements],
        },
        "upkeep": {"load": _spent(row.load), "save": _spent(row.save), "questions": _spent(row.asking)},
        "saves_failed_and_made_up_for": row.failures,
        "cost": _cost(row, comparison.prices),
    }


def _score(score: Score) -> dict[str, float | int | None]:
    return {
        "questions": score.questions,
        "recall": _rounded(score.recall),
        "all_evidence": _rounded(score.complete),
        "answers_found": _rounded(score.answers),
        "tokens_for_a_question": _rounded(score.tokens),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _spent(spent: Spent) -> dict[str, int]:
    return {name: getattr(spent, name) for name in ("calls", "prompt_tokens", "completion_tokens")}


def _cost(row: Row, prices: Prices | None) -> dict[str, float] | None:
    if prices is None:
        return None
    cost = row.cost(prices)
    return {"upkeep": round(cost.upkeep, _DIGITS), "reading": round(cost.reading, _DIGITS)}


def _questions(comparison: Comparison) -> list[dict[str, Any]]:
    asked = [(one.title, question) for one in comparison.transcripts for question in one.measured]
    probes = {row.scenario.name: row.probes for row in comparison.completed}
    return [
        {
            "transcript": title,
            "question": question.text,
            "category": question.category,
            "recall": {name: round(found[number].recall, _DIGITS) for name, found in probes.items()},
            "answer_found": {name: found[number].answer_found for name, found in probes.items()},
        }
        for number, (title, question) in enumerate(asked)
    ]


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
