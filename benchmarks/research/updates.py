"""Measures whether views show corrections or stale statements: `python -m memzoo.benchmarks.research updates`.

Short conversations with corrections (StateBench's timelines) are inserted into long ones (RealMem).
"""

import functools
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.measure.evidence import Texts, squeeze, update_shown
from memzoo.benchmarks.research.inputs import REALMEM, STATEBENCH, conversations, limits_of, refusals
from memzoo.benchmarks.research.retrieving import FedMemory
from memzoo.benchmarks.research.tables import mean_shown, show, table
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.memories import create_memory
from memzoo.strategy import text_of

_ENCODING = "o200k_base"
_OFFLINE: dict[str, Any] = {"llm": "offline", "learn_every": 1}


@dataclass(frozen=True)
class Case:
    """A statement and its correction in a long conversation, with a question at the end."""

    exchanges: tuple[Exchange, ...]
    question: str
    old: tuple[str, ...]
    new: tuple[str, ...]


def strew(timelines: Sequence[Transcript], talks: Sequence[Transcript], count: int, size: int, seed: int) -> list[Case]:
    """Return cases made by inserting each timeline into a part of a long conversation.

    The timeline's exchanges before the correction go into one session, and the rest go into a later session.

    Args:
        timelines: Short conversations, each with a correction and a question about the corrected statement.
        talks: The long conversations.
        count: The number of cases; the timelines are used in turn.
        size: The number of exchanges in a part of a long conversation.
        seed: The seed of all random choices.
    """
    drawn = random.Random(seed)  # noqa: S311 - no secret
    usable = [one for one in timelines if _statements(one) is not None]
    return [_case(usable[number % len(usable)], drawn.choice(talks), size, drawn) for number in range(count)]


def outcomes(cases: Sequence[Case], name: str, budgets: Sequence[int]) -> dict[int, Counter[str]]:
    """For each budget, count the results of `update_shown` in a strategy's views.

    Returns:
        A dict from budget to the number of each result. The result "both in order" is counted in addition: the view
        shows the correction after the old statement.
    """
    counts: dict[int, Counter[str]] = {budget: Counter() for budget in budgets}
    for case in cases:
        for budget, shown in _views(case, name, budgets).items():
            texts = Texts([shown])
            outcome = update_shown(case.new, case.old, texts)
            counts[budget][outcome] += 1
            counts[budget]["both in order"] += outcome == "both" and _in_order(case, shown)
    return counts


def _statements(timeline: Transcript) -> tuple[Question, tuple[str, ...], str] | None:
    """Return a timeline's question, the messages with the old statement, and the correcting message.

    Return `None` if no correcting message comes after the old statement.
    """
    said = [text_of(message) for exchange in timeline.exchanges for message in exchange.messages]
    for question in timeline.measured:
        new = next((text for text in reversed(said) if all(one in text for one in question.evidence)), None)
        old = tuple(text for text in said if any(one in text for one in question.stale) and text != new)
        if new and old and max(map(said.index, old)) < len(said) - 1 - said[::-1].index(new):
            return question, old, new
    return None


def _case(timeline: Transcript, talk: Transcript, size: int, drawn: random.Random) -> Case:
    question, old, new = _statements(timeline) or (Question(""), (), "")
    start = drawn.randrange(max(1, len(talk.exchanges) - size))
    sessions = [list(group) for _, group in groupby(talk.exchanges[start : start + size], lambda one: one.date)]
    early, late = sorted(drawn.sample(range(len(sessions)), 2))
    correcting = next(place for place, one in enumerate(timeline.exchanges) if new in map(text_of, one.messages))
    for place, exchanges in ((late, timeline.exchanges[correcting:]), (early, timeline.exchanges[:correcting])):
        at = drawn.randint(0, len(sessions[place]))
        dated = [Exchange(one.messages, one.evidence, sessions[place][0].date) for one in exchanges]
        sessions[place][at:at] = dated
    return Case(tuple(one for session in sessions for one in session), question.text, old, (new,))


def _views(case: Case, name: str, budgets: Sequence[int]) -> Mapping[int, str]:
    options = _OFFLINE if name in ("entity", "knowledge-graph", "summary", "summary-buffer") else {}
    memory = FedMemory(Transcript("", case.exchanges), _ENCODING, functools.partial(create_memory, name, **options))
    for exchange in case.exchanges:
        memory.hear(exchange)
    return {budget: memory.show(Question(case.question), budget) for budget in budgets}


def _in_order(case: Case, shown: str) -> bool:
    text = squeeze(shown)
    newest = max(text.rfind(squeeze(one)) for one in case.new)
    return newest > max(text.find(squeeze(one)) for one in case.old)


def updates(
    timelines: Annotated[Path, typer.Argument(help="StateBench's timelines.")] = STATEBENCH,
    talks: Annotated[Path, typer.Argument(help="Long talks into which they are strewn.")] = REALMEM,
    *,
    strategies: Annotated[str, typer.Option(help="With commas between them.")] = "vector-retriever",
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "500,1000,2000",
    cases: Annotated[int, typer.Option(help="How many are strewn.", min=1)] = 500,
    size: Annotated[int, typer.Option(help="Exchanges of a long talk in each.", min=20)] = 150,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
) -> None:
    """Count how often a view shows a correction, both statements in order, only the old statement, or neither."""
    with refusals():
        limits = limits_of(budgets)
        found = strew(conversations(timelines), conversations(talks), cases, size, seed)
        named_counter(_ENCODING)
        counted = {name: outcomes(found, name, limits) for name in strategies.split(",")}
    rows: list[list[str]] = []
    for name, by_budget in counted.items():
        for budget, count in by_budget.items():
            shown = count["both"] + count["corrected"]
            sums = (shown, count["both in order"], count["stale"], count["neither"])
            rows.append([name, f"{budget:,}", *(mean_shown([True] * one + [False] * (cases - one)) for one in sums)])
    show(
        table(["strategy", "tokens", "correction shown", "both in order", "stale alone", "neither"], rows),
        f"{cases} cases of {len({case.new for case in found})} corrections, each in {size} exchanges of a long talk; "
        f"tokens by {_ENCODING}; embeddings: hashing.",
    )
