"""Measures how much each part of the search over messages helps: `python -m memzoo.benchmarks.research ablation`."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from statistics import fmean
from typing import Annotated, Any
from unittest import mock

import typer

from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.statistics import difference
from memzoo.benchmarks.research.inputs import LIFEBENCH, LOCOMO, REALMEM, conversations, limits_of, refusals
from memzoo.benchmarks.research.lifebench import lives
from memzoo.benchmarks.research.retrieving import find, memory_maker
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.errors import OptionError
from memzoo.memories import HashEmbedder
from memzoo.memories.search.excerpt import Clipper, evidence, fit_passages
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage, text_of

_WEIGHTS = (
    "own around segment window month speaker telling asking answering length talkative saturation dilution".split()
)
# What stands in for a part that has no weight, by the part's names under `memzoo.memories.search`.
_SEARCH = "memzoo.memories.search"
_NEVER = re.compile(r"(?!)")
PARTS: Mapping[str, tuple[str, Any]] = {
    "dates": ("word_index.in_words", lambda _: ""),
    "corrections": ("word_index.WordIndex.add_corrections", lambda _, seqs, __: list(seqs)),
    "excerpts": ("excerpt.Clipper.__call__", lambda _, text, __: text),
    "relative-dates": ("word_index.find_dates", lambda *_: []),
    "verbs": ("word_index._VERBS", _NEVER),
    "pauses": ("passages._PAUSE", math.inf),
    "characters": ("words._CHARACTER", 1e-9),
    "chinese-numbers": ("words.translate_numbers languages.telling.translate_numbers", str),
    "chinese-stop-words": ("languages.zh._STOP", _NEVER),
    "stop-words": ("languages.language.Language.stops", frozenset[str]()),
}
_SETS: Mapping[str, Callable[[], Sequence[Transcript]]] = {
    "zh": lambda: lives(LIFEBENCH)["zh"],
    "en": lambda: lives(LIFEBENCH)["en"],
    "locomo": lambda: conversations(LOCOMO),
    "realmem": lambda: conversations(REALMEM),
    "bundled": sample_transcripts,
}
OFF = (*_WEIGHTS, *PARTS)
_MOST = 300


def ablation(
    *,
    off: Annotated[str, typer.Option(help="The weights and parts to leave out, with commas.")] = ",".join(OFF),
    sets: Annotated[str, typer.Option(help="The sets, with commas.")] = ",".join(_SETS),
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown; the figure is the mean.")] = "500,1000,2000",
) -> None:
    """Leave out each weight and part of the search in turn, and measure the evidence that the search still shows."""
    with refusals():
        limits, counter = limits_of(budgets), named_counter("o200k_base")
        names, heads = _chosen("--off", off, OFF), _chosen("--sets", sets, _SETS)
        rows = [[name] for name in ("all", *(f"without {one}" for one in names))]
        for one in heads:
            talks = _SETS[one]()
            shares = [share_shown(talks, Weights(), limits, counter)]
            shares += [_share_without(name, talks, limits, counter) for name in names]
            for row, share in zip(rows, shares, strict=True):
                row.append(f"{share:.3f} ({share - shares[0]:+.3f})")
    show(table(["", *heads], rows, f"Share of the evidence, mean over {budgets} tokens"))


def hashed(
    *,
    sets: Annotated[str, typer.Option(help="The sets, with commas.")] = ",".join(_SETS),
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "500,1000,2000,4000",
) -> None:
    """Compare the evidence that the search shows by words alone, and with a `HashEmbedder`."""
    with refusals():
        limits, counter = limits_of(budgets), named_counter("o200k_base")
        rows = list[list[str]]()
        for name in _chosen("--sets", sets, _SETS):
            talks = _SETS[name]()
            words, vectors = (find(memory_maker(one), talks, limits, counter) for one in (None, HashEmbedder()))
            row = [name]
            for limit in limits:
                one, other = ([found.recall for found in some if found.budget == limit] for some in (words, vectors))
                less = difference(dict(enumerate(one)), dict(enumerate(other)))
                row.append(
                    f"{fmean(one):.3f} {fmean(other):.3f}" + (f" ({less.low:+.3f} to {less.high:+.3f})" if less else "")
                )
            rows.append(row)
    title = "Share of the evidence by words alone, with hashed vectors, and the difference's 95% interval"
    show(table(["", *(f"{limit:,} tokens" for limit in limits)], rows, title))


def _share_without(name: str, talks: Sequence[Transcript], limits: Sequence[int], counter: TextCounter) -> float:
    if name in PARTS:
        parts, other = PARTS[name]
        with ExitStack() as patched:
            for part in parts.split():
                patched.enter_context(mock.patch(f"{_SEARCH}.{part}", other))
            return share_shown(talks, Weights(), limits, counter)
    off: Mapping[str, Any] = {name: 0}
    return share_shown(talks, replace(Weights(), **off), limits, counter)


def share_shown(talks: Sequence[Transcript], weights: Weights, limits: Sequence[int], counter: TextCounter) -> float:
    """Return the mean share of evidence that a search with these weights shows, over all questions and budgets."""
    found = find(lambda talk, _: _Weighed(talk, weights, counter), talks, limits, counter)
    return fmean(one.recall for one in found)


class _Weighed:
    """A retriever that searches messages with given weights, and leaves the rest of the budget empty."""

    def __init__(self, transcript: Transcript, weights: Weights, tokens: Callable[[str], int]) -> None:
        self._labels: Mapping[str, str] = {"user": transcript.user, "assistant": transcript.assistant}
        self._index = WordIndex(weights)
        self._tokens = tokens
        self._passages: list[Passage] = []
        self._indexed = 0

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        for place, one in enumerate(exchange.messages):
            speaker = str(one.get("name") or self._labels.get(str(one["role"]), one["role"]))
            number = len(self._passages) + 1
            self._passages.append(Passage(number, speaker, text_of(one), exchange.said_at, begins=not place))

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        self._index.add(self._passages[self._indexed :])
        self._indexed = len(self._passages)
        seqs = self._index.add_corrections(self._index.rank(question.text).best(_MOST), budget)
        clip = Clipper(self._index.analyser, question.text, self._tokens)
        return "\n".join(evidence(fit_passages(budget, (self._passages[seq - 1] for seq in seqs), self._tokens, clip)))


def _chosen(option: str, value: str, known: Iterable[str]) -> list[str]:
    """Return the names in an option of the command line.

    Raises:
        OptionError: A name is unknown.
    """
    if unknown := [one for one in value.split(",") if one not in known]:
        raise OptionError(f"{option} must be of {', '.join(known)}, not {unknown[0]!r}")
    return value.split(",")
