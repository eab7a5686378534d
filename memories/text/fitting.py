"""Fits items and texts into a token limit: chooses the best items, and shortens long texts."""

import re
from bisect import bisect_left
from collections.abc import Callable

from memzoo.memories.text.language import UNSPACED

# The limit counts as full once this many items in a row are too long for the rest.
_MOST_PASSED_OVER = 20

_SENTENCE_END = re.compile(
    r"(?<![.!?…\u0964\u06d4\u061f])[.!?…\u0964\u06d4\u061f]++[\"'”’»)\]]*+(?=\s)|[\u3002\uff01\uff1f]|(?=\n)"
)
_WORD_END = re.compile(rf"(?<=\S)(?=\s)|[{UNSPACED}]")


class Limit:
    """Fits items into a token limit, one by one, the best first.

    Args:
        limit: The token limit.
        size: Returns the number of tokens in all items taken so far; needed if items share parts, such as a heading. By
            default, the tokens of the items are added up.

    Example:
        >>> room = Limit(7)
        >>> [room.has(tokens) for tokens in (3, 5, 4)]
        [True, False, True]
    """

    def __init__(self, limit: int, size: Callable[[], int] | None = None) -> None:
        self._limit = limit
        self._size = size
        self._left = limit
        self._is_counted = True
        self._passed_over = 0

    @property
    def is_full(self) -> bool:
        """True if none of the last 20 items fitted; further items are then unlikely to fit."""
        return self._passed_over >= _MOST_PASSED_OVER

    def has(self, cost: int) -> bool:
        """Take an item's tokens from the limit, and return True; if too few are left, take none, and return False."""
        if cost > self._left and self._size and not self._is_counted:
            self._left, self._is_counted = self._limit - self._size(), True
        fits = cost <= self._left
        self._passed_over = 0 if fits else self._passed_over + 1
        if fits:
            self._left, self._is_counted = self._left - cost, False
        return fits


def shorten_text(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest beginning of a text that fits and ends with a whole sentence or line.

    If the first sentence does not fit, the beginning ends with a whole word; it is "" if not even one word fits.

    Args:
        text: The text.
        fits: Tells whether a beginning fits. If a beginning fits, all shorter beginnings must fit too.

    Example:
        >>> shorten_text("Anna lives in Oslo. She works at Equinor.", lambda text: len(text) < 30)
        'Anna lives in Oslo.'
    """
    if fits(text):
        return text
    for end in (_SENTENCE_END, _WORD_END):
        ends = [match.end() for match in end.finditer(text)]
        # Beginnings are made one at a time: their total length is quadratic.
        too_long = bisect_left(ends, True, key=lambda at: not fits(text[:at].rstrip()))  # noqa: FBT003
        if too_long and (beginning := text[: ends[too_long - 1]].rstrip()):
            return beginning
    return ""


def without_middle(text: str, kept: int) -> str:
    """Return a text without its middle: its first and last characters, `kept` in total, with a note between them.

    Example:
        >>> print(without_middle("abcdefghij", 4))
        ab
        [... 6 characters left out ...]
        ij
    """
    if kept >= len(text):
        return text
    ending = text[len(text) - kept // 2 :]
    return f"{text[: kept - kept // 2]}\n[... {len(text) - kept:,} characters left out ...]\n{ending}"
