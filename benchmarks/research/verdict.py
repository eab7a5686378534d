"""Measures how often `memzoo compare` does not pick the best memory: `python -m memzoo.benchmarks.research verdict`.

Random comparisons are simulated from memories whose true shares of right answers are known. The best memory costs the
most. That is the hard case, because `compare` picks a cheaper memory unless the questions show that it is worse.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Annotated, Any

import numpy
import typer

from memzoo.benchmarks.aggregate import gather
from memzoo.benchmarks.comparing import compare
from memzoo.benchmarks.outcomes import AtBudget, Outcome, Scored
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.results import MemoryInfo, Run, Talks
from memzoo.benchmarks.transcripts import sample_transcripts

_BUDGET = 1_000
_QUESTIONS = (5, 20, 30, 76, 200)
_DIFFERENCES = (0.0, 0.05, 0.1, 0.2, 0.4)
_SCORED = (Scored(answer=False), Scored(answer=True))
# Descriptions of the cases, with (number of memories, the best memory's share of answers at a difference of 0).
_CASES = {
    "two memories, around half of the answers": (2, 0.5),
    "two memories, the best has all answers": (2, 1.0),
    "seven memories, around half of the answers": (7, 0.5),
}


@dataclass(frozen=True)
class Counted:
    """How often random comparisons pick a memory, and how often the pick is not the best memory.

    Attributes:
        somebody: The share of all comparisons that pick a memory.
        worse: The share of all comparisons that pick a memory worse than the best.
    """

    somebody: float
    worse: float


def verdict(
    draws: Annotated[int, typer.Option(min=1, help="Comparisons for each number of questions and difference.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
) -> None:
    """Count how often `compare` picks a memory, and how often the pick is not the best memory."""
    alike = recorded_correlation()
    random = numpy.random.default_rng(seed)
    heads = ["questions", *(f"{difference:g} worse" for difference in _DIFFERENCES)]
    shown = [f"Correlation of two memories' answers on the bundled conversations: {alike:.2f}. {draws:,} draws."]
    for words, (memories, middle) in _CASES.items():
        rows: list[list[str]] = []
        for questions in _QUESTIONS:
            found = [
                count_picks(_shares(memories, middle, apart), questions, alike, draws, random) for apart in _DIFFERENCES
            ]
            rows.append([f"{questions}", *(f"{one.worse:.1%} of {one.somebody:.0%}" for one in found)])
        shown.append(table(heads, rows, f"{words}: the worse is picked, of all picks"))
    show(*shown)


def recorded_correlation() -> float:
    """Return the mean correlation between the answers of any two memories, over all pairs of memories.

    The answers are those in the bundled English and Chinese conversations.
    """
    found: list[float] = []
    for language in ("en", "zh"):
        asked = compare(sample_transcripts(language)).results
        names = [row.memory.name for row in asked.competing]
        said = {name: [one.memories[name][asked.main_budget].answer for one in asked.questions] for name in names}
        for one, other in combinations(said.values(), 2):
            pairs = numpy.array([pair for pair in zip(one, other, strict=True) if None not in pair], float)
            if pairs.size and pairs.std(axis=0).all():
                found.append(float(numpy.corrcoef(pairs.T)[0, 1]))
    return sum(found) / len(found)


def count_picks(
    shares: Sequence[float], questions: int, alike: float, draws: int, random: numpy.random.Generator
) -> Counted:
    """Simulate random comparisons, and count how often a memory is picked, and how often the pick is not the best.

    `shares` has each memory's true share of answered questions, the cheapest memory first. `alike` is the
    correlation of two memories' answers, and `draws` is the number of comparisons.
    """
    picks = [_pick(_draw(shares, questions, alike, random)) for _ in range(draws)]
    worse = sum(bool(name) and shares[int(name)] < max(shares) for name in picks)
    return Counted(sum(map(bool, picks)) / draws, worse / draws)


def _shares(memories: int, middle: float, apart: float) -> list[float]:
    """Return the true shares of all memories, at most 1; the best memory is the last and costs the most."""
    best = min(1.0, middle + apart / 2)
    return [*[best - apart] * (memories - 1), best]


def _draw(shares: Sequence[float], questions: int, alike: float, random: numpy.random.Generator) -> list[list[bool]]:
    """Return for each memory which questions it answers, drawn with the given correlation.

    Each answer is a normal variable with a part common to all memories, cut at the quantile of the memory's share.
    """
    common = math.sin(math.pi / 2 * alike)  # the correlation of normal variables whose signs have the one given
    apart = random.standard_normal((len(shares), questions))
    drawn = math.sqrt(common) * random.standard_normal(questions) + math.sqrt(1 - common) * apart
    cuts = [NormalDist().inv_cdf(share) if share < 1 else math.inf for share in shares]
    found: list[list[bool]] = (drawn < numpy.array(cuts)[:, None]).tolist()
    return found


def _pick(answered: Sequence[Sequence[bool]]) -> str:
    """Return the number of the memory picked in a comparison with these answers, as a text; "" without a pick."""
    outcomes = [_outcome(number, said) for number, said in enumerate(answered)]
    about: dict[str, Any] = {"memzoo": "", "model": "", "counter": ""}
    return gather(
        outcomes,
        memories=[MemoryInfo(name=one.memory) for one in outcomes],
        talks=Talks(count=1, exchanges=1, messages=2, questions=len(answered[0])),
        questions=[(0, "")] * len(answered[0]),
        details=[],
        run=Run(**about, budgets=(_BUDGET,)),
    ).pick


def _outcome(number: int, said: Sequence[bool]) -> Outcome:
    at = AtBudget(loads=1, tokens=number, tokens_at_end=number, course=(), answers=tuple(_SCORED[one] for one in said))
    return Outcome(transcript=0, memory=str(number), exchanges=1, budgets={_BUDGET: at})
