"""The report as one page of HTML: no network, all text from outside escaped."""

import base64
import hashlib
import json
import platform
from datetime import datetime
from typing import Any

from memzoo.benchmarks.comparing import Comparison
from memzoo.benchmarks.report.bars import bars
from memzoo.benchmarks.report.charts import NARROW, WIDE, colours_of, course_chart, recall_chart
from memzoo.benchmarks.report.questions import cells, details
from memzoo.benchmarks.report.tabulating import best_name, caption, columns, exclusions
from memzoo.benchmarks.report.templates import rendered, source
from memzoo.benchmarks.results import Results

__all__ = ["fragment", "page"]


def page(comparison: Comparison, date: datetime) -> str:
    """Render the report: the verdict, tables, charts, every question with what was shown, and how it was measured."""
    results = comparison.results
    script = source("report.js")
    return rendered(
        "report.html.jinja",
        **_tables(comparison),
        date=date,
        style=source("report.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        charts=_charts(results),
        bars=bars(results),
        colours=colours_of(results.rows),
        cells=cells,
        details=_data(details(results)),
        notes=[*caption(comparison), ("memzoo", results.run.memzoo), ("Python", platform.python_version())],
        remarks=exclusions(comparison),
    )


def fragment(comparison: Comparison) -> str:
    """Render the verdict and the tables, for a notebook."""
    return rendered("report_tables.html.jinja", **_tables(comparison))


def _tables(comparison: Comparison) -> dict[str, Any]:
    results = comparison.results
    first = results.main_budget
    budgets = [first, *(one for one in results.run.budgets if one != first)]
    return {
        "results": results,
        "tables": {budget: columns(comparison, budget, "page") for budget in budgets},
        "best": {budget: best_name(results, budget) for budget in budgets},
    }


def _charts(results: Results) -> list[list[str]]:
    """Each chart twice: for a page, and for a phone, on which the first would be too small to read."""
    kinds = [recall_chart] if results.talks.questions else []
    return [[draw(results, width) for width in (WIDE, NARROW)] for draw in [*kinds, course_chart]]


def _data(value: Any) -> str:
    """Write JSON that cannot end the element it stands in: nothing in it opens a tag."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
