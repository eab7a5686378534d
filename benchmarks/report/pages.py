"""The report as one page of HTML: no network, all text from outside escaped, each shown line only once."""

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

__all__ = ["fragment", "page"]


def page(comparison: Compared, date: datetime) -> str:
    """Render the report: the verdict, tables, charts, every question with the views, and the method."""
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
    """Render the verdict and the tables, for a notebook."""
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
    """Draw each chart twice: for a page, and for a phone, on which the first would be too small to read."""
    asked = [recall_chart] if results.talks.questions else []
    marked = [survival_chart] if results.kept_kinds else []
    return [[draw(results, width) for width in (WIDE, NARROW)] for draw in [*asked, *marked, course_chart]]


def _data(value: Any) -> str:
    """Write JSON that cannot end the element it stands in: nothing in it opens a tag."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


@dataclass(frozen=True, slots=True)
class _Cell:
    """The view of a memory for a question, in a word.

    Attributes:
        text: The share of evidence, or a word for a right or shown answer.
        kind: "hit", "part", "miss", or "" if nothing is known.
        order: To sort by.
    """

    text: str
    kind: str
    order: float


def _cells(results: Results, question: QuestionResult) -> Iterator[_Cell]:
    """List the views of the memories within the main budget."""
    for row in results.competing:
        answer = question.memories.get(row.memory.name, {}).get(results.main_budget) or Scored()
        cell = _cell(answer)
        # What rules miss, a model may show: it is no miss of the memory.
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
    """Tell all that stands behind the cells, for the page's script: texts are places in a list of lines."""
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
