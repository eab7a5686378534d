"""How far drafted questions rank memories as real ones do: `python -m memzoo.benchmarks.research drafts`.

Each memory goes through a conversation once, and is then asked both: the questions that people wrote for it, and those
that rules draft (`memzoo questions`). Told is Kendall's tau-b of the two rankings, with its 95% interval: both kinds of
questions are drawn anew, a thousand times. 1 is the same order, 0 is none in common, -1 the opposite.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import typer

from memzoo.benchmarks.drafting import gap_questions
from memzoo.benchmarks.measure.measuring import measure
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.research.inputs import LOCOMO, REALMEM, conversations, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Transcript, sample_transcripts
from memzoo.benchmarks.transcripts.conversations import DRAFTED
from memzoo.benchmarks.variants import choose_variants

__all__ = ["agreement_of_rankings", "drafts", "tau"]

_DRAWS = 1000
_MEASURES = ("answers", "covered")
_MEMORIES = "buffer window summary summary-buffer entity vector-retriever knowledge-graph token-buffer".split()

Asked: TypeAlias = tuple[str, list[tuple[bool, float, float]]]
"""A memory, and for each question whether it was drafted, and the two measures."""

Marks: TypeAlias = Mapping[str, np.ndarray]
"""By memory, what it got for each question; NaN where that cannot be told."""


def drafts(  # noqa: PLR0917 - options of a command
    talks: Annotated[int, typer.Option(min=1, help="Conversations of each set, the first.")] = 5,
    count: Annotated[int, typer.Option(min=1, help="Drafted questions for each conversation.")] = 20,
    budget: Annotated[int, typer.Option(min=1, help="Tokens that may be shown.")] = 1000,
    locomo: Annotated[Path, typer.Option(help="The development part of LoCoMo.")] = LOCOMO,
    realmem: Annotated[Path, typer.Option(help="That of RealMem.")] = REALMEM,
    only: Annotated[str, typer.Option(help="One set alone, by name.")] = "",
) -> None:
    """Hold the ranking of memories by drafted questions against that by real ones."""
    sets: dict[str, Callable[[], list[Transcript]]] = {
        "bundled": lambda: [*sample_transcripts("en"), *sample_transcripts("zh")],
        "LoCoMo dev": lambda: conversations(locomo),
        "RealMem dev": lambda: conversations(realmem),
    }
    rows: list[list[str]] = []
    with refusals():
        for name, load in sets.items():
            if only in {"", name}:
                found = list(_ask_memories(load()[:talks], count, budget))
                rows += [[name, *row] for row in _rows(found)]
    show(table(["set", "measure", "questions", "drafted", "tau-b", "95% interval", "first by both"], rows))


def agreement_of_rankings(real: Marks, drafted: Marks, draws: int = _DRAWS) -> tuple[float, float, float]:
    """Kendall's tau-b of the memories' means by two kinds of questions, and its 95% interval."""
    random = np.random.default_rng(0)

    def means(marks: Marks, *, anew: bool) -> list[float]:
        whole = np.array(list(marks.values()))
        drawn = random.integers(0, whole.shape[1], whole.shape[1]) if anew else np.arange(whole.shape[1])
        return [float(one) for one in np.nanmean(whole[:, drawn], axis=1)]

    taus = [tau(means(real, anew=True), means(drafted, anew=True)) for _ in range(draws)]
    low, high = np.quantile(taus, [0.025, 0.975])
    return tau(means(real, anew=False), means(drafted, anew=False)), float(low), float(high)


def tau(one: Sequence[float], other: Sequence[float]) -> float:
    """Kendall's tau-b of two rankings; 0 if one of them ranks nothing.

    Example:
        >>> tau([1, 2, 3], [10, 20, 30]), tau([1, 2, 3], [3, 2, 1]), tau([1, 1], [1, 2])
        (1.0, -1.0, 0.0)
    """
    signs = [
        (float(np.sign(one[a] - one[b])), float(np.sign(other[a] - other[b])))
        for a, b in combinations(range(len(one)), 2)
    ]
    ranked = sum(x * x for x, _ in signs) * sum(y * y for _, y in signs)
    return sum(x * y for x, y in signs) / ranked**0.5 if ranked else 0.0


def _ask_memories(transcripts: Sequence[Transcript], count: int, budget: int) -> Iterator[Asked]:
    """Ask each memory about each conversation."""
    settings = Settings(budgets=[budget])
    for number, transcript in enumerate(transcripts):
        both = replace(transcript, questions=(*transcript.questions, *gap_questions(transcript, count)))
        for variant in choose_variants(_MEMORIES):
            if variant.baseline:
                continue
            outcome, _ = measure(both, number, variant, settings, keep_views=False)
            marks = [
                (
                    question.category.startswith(DRAFTED),
                    np.nan if got.answer is None else float(got.answer),
                    np.nan if got.covered is None else got.covered,
                )
                for question, got in zip(both.measured, outcome.budgets[budget].answers, strict=True)
            ]
            yield variant.name, marks


def _rows(found: Sequence[Asked]) -> Iterator[list[str]]:
    names = list(dict.fromkeys(name for name, _ in found))
    for place, measured in enumerate(_MEASURES, start=1):
        kinds: list[dict[str, np.ndarray]] = []
        for drafted in (False, True):
            marks = {
                name: np.array(
                    [mark[place] for one, talk in found if one == name for mark in talk if mark[0] == drafted]
                )
                for name in names
            }
            known = ~np.isnan(np.array(list(marks.values()))).any(axis=0)
            kinds.append({name: marks[name][known] for name in names})
        real, drawn = kinds
        between, low, high = agreement_of_rankings(real, drawn)
        firsts = [max((float(marks[name].mean()), name) for name in names)[1] for marks in (real, drawn)]
        yield [
            measured,
            str(len(real[names[0]])),
            str(len(drawn[names[0]])),
            f"{between:.2f}",
            f"{low:.2f} to {high:.2f}",
            firsts[0] if firsts[0] == firsts[1] else f"{firsts[0]} / {firsts[1]}",
        ]
