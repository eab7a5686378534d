"""Writes the report of a comparison: a table for the terminal, and files in JSON, Markdown and HTML."""

import json
from datetime import UTC, datetime
from pathlib import Path

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from memzoo.benchmarks.outcomes import Survived
from memzoo.benchmarks.report.pages import page
from memzoo.benchmarks.report.tabulating import Column, Where, caption, columns, exclusions
from memzoo.benchmarks.results import Compared, MemoryInfo, Row
from memzoo.benchmarks.verdict import write_number


def table(comparison: Compared) -> Group:
    """Return the verdict, the tables, and the code for the best memory, for a terminal."""
    verdict = Text("\n".join(comparison.results.verdict) + "\n")
    notes = [*_legend(comparison, "terminal"), *(f"{name}: {text}" for name, text in caption(comparison))]
    notes += exclusions(comparison)
    if any(row.memory.floor for row in comparison.rows):
        notes.append("≥ rules answered in place of a model: a lower bound")
    drawn = [_table(comparison, budget) for budget in comparison.results.run.budgets]
    code = comparison.results.code
    paste = [Text(f"\nIn your program: {code}")] if code else []
    if comparison.results.run.survival:
        drawn.append(_kinds_table(comparison))
    return Group(verdict, *drawn, Text("\n".join(["", *notes]), style="dim"), *paste)


def markdown(comparison: Compared) -> str:
    """Return the verdict and the tables as Markdown, for a pull request."""
    code = comparison.results.code
    paste = [f"```python\n{code}\n```"] if code else []
    parts = ["# Which memory?", *map(_plain, comparison.results.verdict), *paste]
    for budget in comparison.results.run.budgets:
        shown = columns(comparison, budget, "markdown")
        titles = ["memory", *(one.title.replace("\n", " ") for one in shown)]
        lines = [titles, ["---", *["--:"] * len(shown)], *(_cells(row, shown) for row in comparison.rows)]
        parts += [
            f"## Within {write_number(budget, 'token')}",
            "\n".join(f"| {' | '.join(map(_escape, line))} |" for line in lines),
        ]
    if kinds := comparison.results.kept_kinds:
        budget = comparison.results.main_budget
        found = [(row.memory, row.budgets[budget]) for row in comparison.results.competing]
        lines = [["memory", *kinds], ["---", *["--:"] * len(kinds)]]
        lines += [[memory.name, *(_count(at.at_end(kind), memory) for kind in kinds)] for memory, at in found]
        parts += ["## What survives to the end", "\n".join(f"| {' | '.join(map(_escape, line))} |" for line in lines)]
    notes = [*_legend(comparison, "markdown"), *(f"{name}: {text}" for name, text in caption(comparison))]
    notes += exclusions(comparison)
    return "\n\n".join([*parts, "\n".join(f"- {_plain(note)}" for note in notes)]) + "\n"


def write_report(comparison: Compared, folder: Path, date: datetime | None = None) -> list[Path]:
    """Write all files of a report into a folder, and return their paths.

    Only report.html and times.json have times and dates. With the same inputs, the other files are always the same.
    """
    date = date or datetime.now(UTC)
    texts = {
        "report.html": page(comparison, date),
        "report.md": markdown(comparison),
        "results.json": comparison.results.model_dump_json(indent=1) + "\n",
        "times.json": _times(comparison, date),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


def _times(comparison: Compared, date: datetime) -> str:
    times = {name: {"load_ms": load, "save_ms": save} for name, (load, save) in comparison.times.items()}
    return json.dumps({"date": date.isoformat(), "memories": times}, indent=1) + "\n"


def _legend(comparison: Compared, where: Where) -> list[str]:
    """Return a note for each column of the tables and for each baseline."""
    shown = {
        one.title: one.about for budget in comparison.results.run.budgets for one in columns(comparison, budget, where)
    }
    notes = [f"{title}: {_begin(about)}".replace("\n", " ") for title, about in shown.items()]
    baselines = [row.memory for row in comparison.rows if row.memory.baseline and row.memory.about]
    about = "; ".join(f"{one.name}, {one.about}" for one in baselines)
    return [*notes, f"baselines: {about}"] if about else notes


def _begin(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def _table(comparison: Compared, budget: int) -> Table:
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    drawn.title = f"within {write_number(budget, 'token')}" if len(comparison.results.run.budgets) > 1 else None
    drawn.add_column("memory", overflow="fold", min_width=16)
    shown = columns(comparison, budget)
    for column in shown:
        drawn.add_column(column.title, justify="right", no_wrap=True)
    for row, following in zip(comparison.rows, [*comparison.rows[1:], None], strict=True):
        framed = following is not None and row.memory.baseline != following.memory.baseline
        drawn.add_row(*map(Text, _cells(row, shown)), style=_style(row), end_section=framed)
    return drawn


def _cells(row: Row, shown: list[Column]) -> list[str]:
    if row.error:
        return [row.memory.name, "failed", *[""] * (len(shown) - 1)]
    return [row.memory.name, *(column.cell(row) for column in shown)]


def _kinds_table(comparison: Compared) -> Table:
    """Return the counts of marked lines shown at the end, by memory and kind."""
    results = comparison.results
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    drawn.title = f"Marked lines still shown at the end, within {write_number(results.main_budget, 'token')}"
    drawn.add_column("memory", overflow="fold", min_width=16)
    for kind in results.kept_kinds:
        drawn.add_column(kind, justify="right", overflow="fold", max_width=7)
    for row in results.competing:
        at = row.budgets[results.main_budget]
        counts = (_count(at.at_end(kind), row.memory) for kind in results.kept_kinds)
        drawn.add_row(*map(Text, (row.memory.name, *counts)), style=_style(row))
    return drawn


def _count(found: Survived | None, memory: MemoryInfo) -> str:
    return "–" if found is None else f"{'≥ ' if memory.floor else ''}{found.shown}/{found.of}"


def _style(row: Row) -> str:
    if row.error:
        return "red"
    return "dim" if row.memory.baseline or row.memory.floor else ""


def _escape(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return a text escaped for Markdown, without tags, links and line breaks."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("](", "]\\(").replace("\n", " ")
