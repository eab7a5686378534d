"""Writes found messages word for word with speakers and dates, as many as fit a token limit."""

import functools
import itertools
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

from memzoo.forks import cached_property
from memzoo.memories.text.days import UNKNOWN_DAY, in_words
from memzoo.memories.text.estimating import remember
from memzoo.memories.text.fitting import Limit
from memzoo.memories.text.view import Passage

if TYPE_CHECKING:
    from memzoo.memories.search.rows import Numbers
    from memzoo.memories.search.words import Analyser

Shorten: TypeAlias = Callable[[str, int], str]
"""A function that returns an excerpt of a text, given the text and the most tokens."""

# A message larger than one fourth of the limit is shortened, unless it has at most 150 tokens.
_LARGEST_SHARE = 4
_ALWAYS_WHOLE = 150

_READ_AT_ONCE = 64

# A long message that fits many questions is cut into words once.
_terms_of = remember(lambda analyser, *pieces: analyser.terms(pieces), 1 << 8)

GAP = "[...]"
"""The mark for omitted text in an excerpt."""

# A sentence or a line; a longer piece is cut after 240 characters.
_PIECE = re.compile(r"\S(?:[^\n.!?\u3002\uff01\uff1f]|[.!?](?=\S)){0,239}(?:[.!?\u3002\uff01\uff1f]|(?=\n)|(?=\s)|$)?")
_NEIGHBOUR = 0.5


async def fit_found(
    limit: int,
    ranked: Callable[[int], Sequence[int]],
    read: Callable[[Sequence[int]], Awaitable[Sequence[Passage]]],
    tokens: Callable[[str], int],
    shorten: Shorten | None = None,
) -> Sequence[Passage]:
    """Choose passages as `fit_passages` does, but read only as many messages as necessary.

    Args:
        limit: The limit in tokens, including dates and speakers.
        ranked: Given a number n, returns the log numbers of the n best messages.
        read: Returns the messages with the given log numbers.
        tokens: Counts the tokens of a text.
        shorten: Shortens long passages, as in `fit_passages`; `None` to shorten none.
    """
    count = _READ_AT_ONCE
    while True:
        seqs = ranked(count)
        passages = iter(await read(seqs))
        chosen = fit_passages(limit, passages, tokens, shorten)
        if len(seqs) < count or next(passages, None) is not None:
            return chosen
        count *= 2


def fit_passages(
    limit: int, passages: Iterable[Passage], tokens: Callable[[str], int], shorten: Shorten | None = None
) -> Sequence[Passage]:
    """Return passages whose combined text, as written by `evidence`, fits a token limit.

    Args:
        limit: The limit in tokens, including dates and speakers.
        passages: The candidates, the most useful first. A passage that does not fit is skipped.
        tokens: Counts the tokens of a text.
        shorten: Shortens a passage that has both more than 150 tokens and more than a quarter of the limit; `None` to
            shorten none.
    """
    room, most = Limit(limit), max(limit // _LARGEST_SHARE, _ALWAYS_WHOLE)
    chosen, days = list[Passage](), set[date | None]()
    for passage in passages:
        cost, day = tokens(f"{_line(passage)}\n"), passage.said_at and passage.said_at.date()
        if shorten and cost > most:
            label = tokens(f"{passage.speaker}: ")
            passage = replace(passage, text=shorten(passage.text, most - label))  # noqa: PLW2901
            cost = tokens(f"{_line(passage)}\n")
        if day not in days and (day or days):
            is_new_year = day is not None and all(day.year != shown.year for shown in days if shown)
            cost += tokens(f"{_heading(day, with_year=is_new_year)}\n")
        if passage.text and room.has(cost):
            chosen.append(passage)
            days.add(day)
        elif room.is_full:
            break
    # The tokens of the whole text can differ a little from the sum over its lines.
    while chosen and tokens(evidence(chosen)[0]) > limit:
        chosen.pop()
    return chosen


class Clipper:
    """Makes excerpts of long messages for one question. Call it with a message and the token limit of its excerpt.

    Example:
        >>> from memzoo.memories.search.words import Analyser
        >>> clipper = Clipper(Analyser(), "Where is the boat?", len)
        >>> clipper("It rained. The boat lies in Oslo. We ate. We slept.", 38)
        '[...] The boat lies in Oslo. [...]'
    """

    def __init__(self, analyser: "Analyser", query: str, tokens: Callable[[str], int]) -> None:
        self._analyser = analyser
        self._query = query
        self._tokens = tokens

    def __call__(self, text: str, most: int) -> str:
        """Return the most relevant sentences, in their order, in at most `most` tokens; "" if no sentence fits."""
        pieces = [match[0].strip() for match in _PIECE.finditer(text)]
        chosen: set[int] = set()
        left = most
        for place in (-self._scores(pieces)).argsort(kind="stable").tolist():
            # Each piece may bring two gaps with it.
            if (cost := self._tokens(f" {pieces[place]} {GAP}") + self._tokens(f" {GAP}")) <= left:
                chosen.add(place)
                left -= cost
        runs = itertools.groupby(enumerate(pieces), key=lambda piece: piece[0] in chosen)
        shown = (" ".join(text for _, text in run) if is_chosen else GAP for is_chosen, run in runs)
        return " ".join(shown) if chosen else ""

    @cached_property
    def _wanted(self) -> list[int]:
        return [int(phrase[0]) for phrase, _ in self._analyser.phrases(self._query)]

    def _scores(self, pieces: Sequence[str]) -> "Numbers":
        """Return each sentence's score by the question's words; rare words count more, the neighbours' words half."""
        import numpy  # loaded only where it is needed

        terms, counts = _terms_of(self._analyser, *pieces)
        owner = numpy.repeat(numpy.arange(len(pieces)), counts)
        scores = numpy.zeros(len(pieces))
        for word in set(self._wanted):
            within = numpy.unique(owner[terms == word])
            scores[within] += numpy.log1p(len(pieces) / max(len(within), 1))
        return numpy.convolve(scores, [_NEIGHBOUR, 1.0, _NEIGHBOUR])[1:-1] if len(pieces) else scores


def evidence(passages: Iterable[Passage]) -> tuple[str, ...]:
    """Return passages as lines, in the order of the conversation, under a heading for each day.

    A heading leaves out the year if the day above it is in the same year. Passages without a date get the heading
    "Day unknown:", unless they come before all passages with a date.

    Example:
        >>> from datetime import UTC, datetime
        >>> day = datetime(2026, 5, 8, tzinfo=UTC)
        >>> said = [(7, "Anna", "See you!"), (3, "Bo", "Hi")]
        >>> print(*evidence(Passage(*one, day, begins=True) for one in said))
        8 May 2026:
        Bo: Hi
        Anna: See you!
    """
    lines: list[str] = []
    last: date | None = None
    for passage in sorted(passages, key=lambda passage: passage.seq):
        day = passage.said_at and passage.said_at.date()
        if day != last:
            lines.append(_heading(day, with_year=day is not None and (last is None or day.year != last.year)))
        lines.append(_line(passage))
        last = day
    return ("\n".join(lines),) if lines else ()


def _line(passage: Passage) -> str:
    return f"{passage.speaker}: {passage.text}"


@functools.lru_cache
def _heading(day: date | None, *, with_year: bool) -> str:
    if day is None:
        return f"{UNKNOWN_DAY}:"
    return f"{in_words(day)}:" if with_year else f"{in_words(day).rpartition(' ')[0]}:"
