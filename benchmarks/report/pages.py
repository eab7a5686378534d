"""Writes the report as one HTML page that loads nothing from elsewhere."""

import base64
import hashlib
import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memzoo.benchmarks.outcomes import Scored, View
from memzoo.benchmarks.report.charts import NARROW, WIDE, bars, colours_of, course_chart, recall_chart, survival_chart
from memzoo.benchmarks.report.tabulating import best_name, caption, columns, exclusions
from memzoo.benchmarks.report.templates import render_template, source
from memzoo.benchmarks.results import Compared, QuestionResult, Results


def page(comparison: Compared, date: datetime) -> str:
    """Return the report as HTML: the verdict, tables, charts, questions with views, and settings."""
    results = comparison.results
    script = source("report.js")
    return render_template(
        "report.html.jinja",
        **_tables(comparison),
        date=date,
        style=source("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        charts=_charts(results),
        bars=bars(results),
        colours=colours_of(results.rows),
        cells=_cells,
        details=_data(_details(results)),
        notes=[*caption(comparison), ("memzoo", results.run.memzoo), ("Python", platform.python_version())],
        remarks=exclusions(comparison),
    )


def fragment(comparison: Compared) -> str:
    """Return the verdict and the tables as HTML, for a notebook."""
    return render_template("report_tables.html.jinja", **_tables(comparison))


def _tables(comparison: Compared) -> dict[str, Any]:
    results = comparison.results
    first = results.main_budget
    budgets = [first, *(one for one in results.run.budgets if one != first)]
    return {
        "results": results,
        "tables": {budget: columns(comparison, budget, "page") for budget in budgets},
        "best": {budget: best_name(results, budget) for budget in budgets},
    }


def _charts(results: Results) -> list[list[str]]:
    """Return each chart in two widths, for a page and for a phone."""
    asked = [recall_chart] if results.talks.questions else []
    marked = [survival_chart] if results.kept_kinds else []
    return [[draw(results, width) for width in (WIDE, NARROW)] for draw in [*asked, *marked, course_chart]]


def _data(value: Any) -> str:
    """Return a value as JSON without "<", so that no text can close the surrounding HTML element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the table of questions: the score of a memory for a question.

    Attributes:
        text: The share of evidence, "right" or "wrong", or "said" or "not said".
        kind: "hit", "part", "miss", or "" without a score.
        order: The sort key.
    """

    text: str
    kind: str
    order: float


def _cells(results: Results, question: QuestionResult) -> Iterator[_Cell]:
    """Yield the cell of each memory for a question, within the main budget."""
    for row in results.competing:
        answer = question.memories.get(row.memory.name, {}).get(results.main_budget) or Scored()
        cell = _cell(answer)
        # With a model, the memory might have shown what it missed with rules.
        yield replace(cell, kind="", text=f"≥ {cell.text}") if row.memory.floor and cell.kind == "miss" else cell


def _cell(answer: Scored) -> _Cell:
    if answer.judged is not None:
        share, text = float(answer.judged), "right" if answer.judged else "wrong"
    elif answer.answer is not None:
        share, text = float(answer.answer), "said" if answer.answer else "not said"
    elif answer.covered is not None:
        share, text = answer.covered, f"{answer.covered:.0%}"
    else:
        return _Cell("–", "", -1)
    kind = "hit" if share == 1 else "part" if share else "miss"
    return _Cell(f"{text}, stale", "miss", -0.5) if answer.update == "stale" else _Cell(text, kind, share)


def _details(results: Results) -> dict[str, Any]:
    """Return the data that the page's script shows for a cell; each text shown is an index into a list of lines."""
    lines: dict[str, int] = {}
    names = [row.memory.name for row in results.competing]
    questions = [
        {
            "answer": one.question.answer,
            "evidence": one.question.evidence,
            "stale": one.question.stale,
            "memories": [
                _show_answer(one.memories.get(name, {}).get(results.main_budget) or Scored(), lines) for name in names
            ],
        }
        for one in results.questions
    ]
    return {"names": names, "questions": questions, "lines": list(lines)}


def _show_answer(answer: Scored, lines: dict[str, int]) -> dict[str, Any]:
    return {
        "tokens": answer.tokens,
        "reply": answer.reply,
        "shown": None if answer.shown is None else _places(answer.shown, lines),
    }


def _places(view: View, lines: dict[str, int]) -> Sequence[tuple[str, list[int]]]:
    return [(role, [lines.setdefault(line, len(lines)) for line in text.split("\n")]) for role, text in view]
