"""Picks the question on which the strategies differ most, with what each would have shown the model."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memzoo.benchmarks.measure.comparing import Comparison, Row
from memzoo.benchmarks.measure.measuring import Probe
from memzoo.benchmarks.transcripts.conversations import Question, Transcript

__all__ = ["Block", "Example", "Sight", "marked", "telling_example"]

Piece: TypeAlias = tuple[str, bool]
"""A stretch of text, and whether it is evidence."""

Block: TypeAlias = tuple[str, tuple[Piece, ...]]
"""A message as it is shown: who says it ("" for what a strategy derived or found), and its text, evidence set apart."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one strategy would have shown.

    Attributes:
        row: The strategy.
        probe: How it did.
        blocks: What it showed, in order.
    """

    row: Row
    probe: Probe
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A question and what each strategy makes of it.

    Attributes:
        transcript: The conversation.
        question: The question.
        sights: One for each strategy, baselines left out.
    """

    transcript: Transcript
    question: Question
    sights: tuple[Sight, ...]


def telling_example(comparison: Comparison) -> Example | None:
    """Pick the question on which the strategies differ most, the first among equals; `None` without questions."""
    rows = [row for row in comparison.completed if not row.scenario.baseline]
    asked = [
        (one, place)
        for one, transcript in enumerate(comparison.transcripts)
        for place in range(len(transcript.measured))
    ]
    if not rows or not asked:
        return None
    one, place = max(asked, key=lambda at: _spread([row.measurements[at[0]].probes[at[1]] for row in rows]))
    transcript = comparison.transcripts[one]
    question = transcript.measured[place]
    return Example(
        transcript,
        question,
        tuple(_sight(row, row.measurements[one].probes[place], transcript, question) for row in rows),
    )


def marked(text: str, evidence: Iterable[str]) -> tuple[Piece, ...]:
    r"""Split a text so that evidence stands apart, whatever its white space.

    Example:
        >>> marked("Human: I like\ntea. Bye", ["I like tea."])
        (('Human: ', False), ('I like\ntea.', True), (' Bye', False))
    """
    patterns = sorted((r"\s+".join(map(re.escape, one.split())) for one in evidence), key=len, reverse=True)
    pieces = re.split(f"({'|'.join(patterns)})", text)
    return tuple((piece, bool(place % 2)) for place, piece in enumerate(pieces) if piece)


def _spread(probes: Sequence[Probe]) -> float:
    """The variance of recall: highest where half of the strategies show the evidence and half do not."""
    mean = sum(probe.recall for probe in probes) / len(probes)
    return sum((probe.recall - mean) ** 2 for probe in probes)


def _sight(row: Row, probe: Probe, transcript: Transcript, question: Question) -> Sight:
    speakers = {"user": transcript.user, "assistant": transcript.assistant, "tool": "Tool"}
    blocks = tuple((speakers.get(role, ""), marked(text, question.evidence)) for role, text in probe.shown)
    return Sight(row, probe, blocks)
