"""Shows what was found as it was said, with speakers and dates, within a budget."""

import functools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeAlias

from memzoo.memories.text.view import Passage, in_words

__all__ = ["evidence", "fit_found", "fit_passages"]

Shorten: TypeAlias = Callable[[str, int], str]
"""A text -> an excerpt of it of at most so many tokens."""

# A message that takes a larger part than one in so many of the limit is shortened, unless it is short anyway.
_LARGEST_SHARE = 4
_ALWAYS_WHOLE = 150

# When so many in a row are too long for what is left, it is full.
_MOST_PASSED_OVER = 20
_READ_AT_ONCE = 64


def evidence(passages: Iterable[Passage]) -> tuple[str, ...]:
    """Write passages as one text: a line for each, in the order in which they were said, under the date of that day.

    The year is written where it changes.

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
        day = passage.said_at.date()
        if day != last:
            lines.append(_heading(day, with_year=last is None or day.year != last.year))
        lines.append(_line(passage))
        last = day
    return ("\n".join(lines),) if lines else ()


def fit_passages(
    limit: int, passages: Iterable[Passage], tokens: Callable[[str], int], shorten: Shorten | None = None
) -> Sequence[Passage]:
    """Choose the passages that fit a limit together, as `evidence` shows them.

    Args:
        limit: Tokens; dates and speakers count.
        passages: The most useful first. One that does not fit is passed over for the next that does.
        tokens: Counts the tokens of a text.
        shorten: Makes an excerpt of so many tokens of a text. None may take more than a quarter of the limit; all are
            shown whole without it, or if they are short.
    """
    chosen: list[Passage] = []
    room = _Room(limit, tokens, shorten)
    for passage in passages:
        if room.passed_over == _MOST_PASSED_OVER:
            break
        if (fitting := room.take(passage)) is not None:
            chosen.append(fitting)
    # Counted as one text, tokens can differ a little from the sum over lines.
    while chosen and tokens(evidence(chosen)[0]) > limit:
        chosen.pop()
    return chosen


class _Room:
    """What is left of a limit."""

    def __init__(self, limit: int, tokens: Callable[[str], int], shorten: Shorten | None) -> None:
        self._left = limit
        self._most = max(limit // _LARGEST_SHARE, _ALWAYS_WHOLE)
        self._tokens = tokens
        self._shorten = shorten
        self._days: set[date] = set()
        self.passed_over = 0

    def take(self, passage: Passage) -> Passage | None:
        """Make room for a passage; the passage as it is to be shown, or nothing if it does not fit."""
        cost = self._tokens(_line(passage) + "\n")
        if self._shorten and cost > self._most:
            label = self._tokens(f"{passage.speaker}: ")
            passage = replace(passage, text=self._shorten(passage.text, self._most - label))
            cost = self._tokens(_line(passage) + "\n")
        day = passage.said_at.date()
        if day not in self._days:
            is_new_year = all(day.year != shown.year for shown in self._days)
            cost += self._tokens(_heading(day, with_year=is_new_year) + "\n")
        if cost > self._left or not passage.text:
            self.passed_over += 1
            return None
        self._days.add(day)
        self._left -= cost
        self.passed_over = 0
        return passage


async def fit_found(
    limit: int,
    ranked: Callable[[int], Sequence[int]],
    read: Callable[[Sequence[int]], Awaitable[Sequence[Passage]]],
    tokens: Callable[[str], int],
    shorten: Shorten | None = None,
) -> Sequence[Passage]:
    """Choose as `fit_passages` does, and rank and read only as many messages as are looked at.

    Args:
        limit: As there.
        ranked: Returns the log numbers of the best so many messages; fewer where there are no more.
        read: Returns the messages with these numbers.
        tokens: As there.
        shorten: As there.
    """
    count = _READ_AT_ONCE
    while True:
        seqs = ranked(count)
        passages = iter(await read(seqs))
        chosen = fit_passages(limit, passages, tokens, shorten)
        if len(seqs) < count or next(passages, None) is not None:
            return chosen
        count *= 2


def _line(passage: Passage) -> str:
    return f"{passage.speaker}: {passage.text}"


@functools.lru_cache
def _heading(day: date, *, with_year: bool) -> str:
    return f"{in_words(day)}:" if with_year else f"{in_words(day).rpartition(' ')[0]}:"
