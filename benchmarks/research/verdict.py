"""How often the verdict of `memzoo compare` picks wrongly: `python -m memzoo.benchmarks.research verdict`.

Comparisons are drawn whose truth is known. The best memory answers a share of the questions, each of the others so much
less, and costs less, which is the hard case. That one memory answers a question goes along with others answering it as
much as it does among the memories on the bundled conversations. What the verdict makes of it is then counted.
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

__all__ = ["Counted", "count_picks", "recorded_correlation", "verdict"]

_BUDGET = 1_000
_QUESTIONS = (5, 20, 30, 76, 200)
_DIFFERENCES = (0.0, 0.05, 0.1, 0.2, 0.4)
_SCORED = (Scored(answer=False), Scored(answer=True))
# (memories, the best one's share of answers at a difference of 0), and in words.
_CASES = {
    "two memories, around half of the answers": (2, 0.5),
    "two memories, the best has all answers": (2, 1.0),
    "seven memories, around half of the answers": (7, 0.5),
}


@dataclass(frozen=True)
class Counted:
    """What became of comparisons that were drawn.

    Attributes:
        somebody: The share in which a memory was picked.
        worse: The share in which it was not the best.
    """

    somebody: float
    worse: float


def verdict(
    draws: Annotated[int, typer.Option(min=1, help="Comparisons for each number of questions and difference.")] = 300,
    seed: Annotated[int, typer.Option(help="Of the random numbers.")] = 0,
) -> None:
    """Count how often `compare` picks a memory, and how often one that is worse."""
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
    """Return the mean correlation of what two memories answer, question by question, on the bundled conversations."""
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
    """Draw comparisons and count what is picked.

    Args:
        shares: The share of questions that each memory truly answers, the cheapest memory first.
        questions: How many questions are asked.
        alike: The correlation of two memories' answers.
        draws: How many comparisons.
        random: The random numbers.
    """
    picks = [_pick(_draw(shares, questions, alike, random)) for _ in range(draws)]
    worse = sum(bool(name) and shares[int(name)] < max(shares) for name in picks)
    return Counted(sum(map(bool, picks)) / draws, worse / draws)


def _shares(memories: int, middle: float, apart: float) -> list[float]:
    """The shares of the best, which comes last and is the dearest, and of all others; none is above 1."""
    best = min(1.0, middle + apart / 2)
    return [*[best - apart] * (memories - 1), best]


def _draw(shares: Sequence[float], questions: int, alike: float, random: numpy.random.Generator) -> list[list[bool]]:
    """Which memory answers which question: normal variables with a common part, each cut where its share lies."""
    common = math.sin(math.pi / 2 * alike)  # of the variables, for that correlation of their signs
    apart = random.standard_normal((len(shares), questions))
    drawn = math.sqrt(common) * random.standard_normal(questions) + math.sqrt(1 - common) * apart
    cuts = [NormalDist().inv_cdf(share) if share < 1 else math.inf for share in shares]
    found: list[list[bool]] = (drawn < numpy.array(cuts)[:, None]).tolist()
    return found


def _pick(answered: Sequence[Sequence[bool]]) -> str:
    """The number of the memory that the verdict on such a comparison picks; "" if none."""
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
