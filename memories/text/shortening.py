"""Shortens texts to what fits."""

import re
from bisect import bisect_left
from collections.abc import Callable

from memzoo.memories.text.language import UNSPACED

__all__ = ["shortened", "without_middle"]

_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[\u3002\uff01\uff1f]|(?=\n)")
_WORD_END = re.compile(rf"(?<=\S)(?=\s)|[{UNSPACED}]")


def shortened(text: str, fits: Callable[[str], bool]) -> str:
    """Cut a text to its longest beginning that fits: whole sentences or lines, else words; "" if not one word does.

    Args:
        text: Any text.
        fits: Whether a beginning of it fits; a shorter one is to fit where a longer one does.

    Example:
        >>> shortened("Anna lives in Oslo. She works at Equinor.", lambda text: len(text) < 30)
        'Anna lives in Oslo.'
    """
    if fits(text):
        return text
    for end in (_SENTENCE_END, _WORD_END):
        ends = [match.end() for match in end.finditer(text)]
        # Not all beginnings at once: together they are as long as the square of the text.
        too_long = bisect_left(ends, True, key=lambda at: not fits(text[:at].rstrip()))  # noqa: FBT003
        if too_long and (beginning := text[: ends[too_long - 1]].rstrip()):
            return beginning
    return ""


def without_middle(text: str, kept: int) -> str:
    """The beginning and the end of a text, so many characters together, with a note of what is missing in between.

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
