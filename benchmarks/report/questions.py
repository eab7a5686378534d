"""Every question with what each memory showed for it, as the page needs it: each line of text but once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memzoo.benchmarks.outcomes import Scored, View
from memzoo.benchmarks.results import QuestionResult, Results

__all__ = ["Cell", "cells", "details"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What a memory showed for a question, in a word.

    Attributes:
        text: The share of evidence, or whether the answer was right or shown.
        kind: "hit", "part", "miss", or "" if nothing is known.
        order: To sort by.
    """

    text: str
    kind: str
    order: float


def cells(results: Results, question: QuestionResult) -> Iterator[Cell]:
    """Tell what each memory showed within the main budget."""
    for row in results.competing:
        answer = question.memories.get(row.memory.name, {}).get(results.main_budget) or Scored()
        cell = _cell(answer)
        # What rules miss, a model may show: it is no miss of the memory.
        yield replace(cell, kind="", text=f"≥ {cell.text}") if row.memory.floor and cell.kind == "miss" else cell


def _cell(answer: Scored) -> Cell:
    known = [one for one in (answer.judged, answer.covered, answer.answer) if one is not None]
    if not known:
        return Cell("–", "", -1)
    share = float(known[0])
    text = {1.0: "right", 0.0: "wrong"}[share] if answer.judged is not None else f"{share:.0%}"
    kind = "hit" if share == 1 else "part" if share else "miss"
    return Cell(f"{text}, stale", "miss", -0.5) if answer.update == "stale" else Cell(text, kind, share)


def details(results: Results) -> dict[str, Any]:
    """Tell all that stands behind the cells, for the page's script: texts are places in a list of lines."""
    lines: dict[str, int] = {}
    names = [row.memory.name for row in results.competing]
    questions = [
        {
            "answer": one.question.answer,
            "evidence": one.question.evidence,
            "stale": one.question.stale,
            "memories": [
                _shown(one.memories.get(name, {}).get(results.main_budget) or Scored(), lines) for name in names
            ],
        }
        for one in results.questions
    ]
    return {"names": names, "questions": questions, "lines": list(lines)}


def _shown(answer: Scored, lines: dict[str, int]) -> dict[str, Any]:
    return {
        "tokens": answer.tokens,
        "reply": answer.reply,
        "shown": None if answer.shown is None else _places(answer.shown, lines),
    }


def _places(view: View, lines: dict[str, int]) -> Sequence[tuple[str, list[int]]]:
    return [(role, [lines.setdefault(line, len(lines)) for line in text.split("\n")]) for role, text in view]
