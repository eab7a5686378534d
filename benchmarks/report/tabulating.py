"""Builds the table of a comparison as texts: the same in the terminal and in the report."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from memzoo.benchmarks.measure.comparing import OFFLINE, Comparison, Prices, Row
from memzoo.benchmarks.measure.counting import APPROXIMATE

__all__ = ["Column", "caption", "columns", "counter_note", "exclusions", "model_note", "share", "troubles"]

_NOTHING = "–"
_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        title: Short.
        about: What it says, in a sentence.
        cell: A row -> its text.
        wide: Whether it is for pages only, which have more room than a terminal.
    """

    title: str
    about: str
    cell: Callable[[Row], str]
    wide: bool = False


def columns(comparison: Comparison) -> list[Column]:
    """List the columns of a comparison, without the strategies' names."""
    budget = f"{comparison.budget:,}"
    asked = _ASKED if any(one.measured for one in comparison.transcripts) else []
    named = [dataclasses.replace(one, about=one.about.format(budget=budget)) for one in [*asked, *_ALWAYS]]
    return [*named, *(_cost_columns(comparison.prices) if comparison.prices else [])]


def share(value: float | None) -> str:
    """Format a share with two digits; more would be noise."""
    return _NOTHING if value is None else f"{value:.2f}"


def model_note(name: str) -> str:
    """Name the model that answered, and what that means for the figures."""
    if name == OFFLINE:
        return "memzoo-offline-extractive: rules, not a language model; recall of model-backed strategies is a floor"
    return name


def counter_note(name: str) -> str:
    """Name the counter of the tokens."""
    return "approximate: characters / 4" if name == APPROXIMATE else name


def caption(comparison: Comparison) -> list[tuple[str, str]]:
    """List what a reader of the table has to know, as pairs of a name and a text."""
    said = sum(len(one.exchanges) for one in comparison.transcripts)
    asked = sum(len(one.measured) for one in comparison.transcripts)
    titles = ", ".join(one.title for one in comparison.transcripts)
    return [
        ("transcript", f"{titles} ({said:,} exchanges, {asked:,} questions)"),
        ("budget", f"{comparison.budget:,} tokens"),
        ("tokens counted by", counter_note(comparison.counter)),
        ("model", model_note(comparison.model)),
    ]


def exclusions(comparison: Comparison) -> list[str]:
    """Say in sentences what the measurement left out, if anything."""
    adversarial = sum(one.adversarial for one in comparison.transcripts)
    without = sum(one.without_evidence for one in comparison.transcripts)
    unusable = [id_ for one in comparison.transcripts for id_ in one.unusable_evidence]
    counted = (
        (adversarial, f"Not asked, because they have no true answer: {adversarial} adversarial questions."),
        (without, f"Not asked, because no evidence is known for them: {without} questions."),
        (len(unusable), f"Left out, because they name no message: {len(unusable)} citations ({', '.join(unusable)})."),
    )
    return [text for count, text in counted if count]


def troubles(comparison: Comparison) -> list[str]:
    """Say in sentences which strategies met a failing model, if any."""
    return [f"{row.scenario.name} failed: {row.error}" for row in comparison.rows if row.error] + [
        f"{row.scenario.name}: saves that failed at the model and were made up for by later ones: {row.failures}."
        for row in comparison.completed
        if row.failures
    ]


def _calls(row: Row) -> str:
    return "+".join(f"{row.per_exchange(spent.calls):.2f}" for spent in (row.save, row.load))


def _upkeep(row: Row) -> str:
    if row.upkeep.calls and not row.upkeep.prompt_tokens:
        return "?"
    return f"{row.per_exchange(row.upkeep.prompt_tokens + row.upkeep.completion_tokens):,.0f}"


def _milliseconds(row: Row) -> str:
    load, save = row.seconds
    return "+".join(f"{seconds * _THOUSAND:,.1f}" for seconds in (save, load))


_ASKED = [
    Column(
        "recall",
        "Share of the evidence shown within {budget} tokens, mean over the questions.",
        lambda row: share(row.score.recall),
    ),
    Column(
        "all",
        "Share of the questions with all of their evidence shown.",
        lambda row: share(row.score.complete),
        wide=True,
    ),
    Column(
        "answers", "Share of the answers all of whose content words were shown.", lambda row: share(row.score.answers)
    ),
]
_ALWAYS = [
    Column("tokens", "Tokens shown at an exchange, mean.", lambda row: f"{row.tokens:,.0f}"),
    Column("at end", "Tokens shown at the last exchange.", lambda row: f"{row.tokens_at_end:,.0f}"),
    Column("calls\nsave+load", "Model calls for an exchange, mean.", _calls),
    Column(
        "upkeep\ntokens",
        'Tokens that these calls sent and received for an exchange, mean; "?" if the model does not tell.',
        _upkeep,
    ),
    Column("ms\nsave+load", "Milliseconds for an exchange, mean, model calls included.", _milliseconds),
]


def _cost_columns(prices: Prices) -> list[Column]:
    about = (
        f"Of 1,000 exchanges like these: upkeep and what was shown, at {prices[0]:g} a million tokens of input and "
        f"{prices[1]:g} of output."
    )
    return [Column("cost\n/1,000", about, lambda row: f"{row.per_exchange(row.cost(prices).total) * _THOUSAND:,.2f}")]
