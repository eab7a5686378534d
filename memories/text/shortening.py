"""Shortens texts to what fits."""

import functools
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from memzoo.memories.text.language import UNSPACED

__all__ = ["fitting", "shortened"]

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[\u3002\uff01\uff1f]|(?=\n)")
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
        beginnings = [text[: match.end()].rstrip() for match in end.finditer(text)]
        if beginning := _longest(beginnings, fits):
            return beginning
    return ""


def fitting(notes: Mapping[str, str], fits: Callable[[Mapping[str, str]], bool]) -> dict[str, str]:
    """Keep the notes that fit together, the first ones first; one that does not fit whole is shortened.

    Args:
        notes: Texts by name, the most useful first; names without a text take no room.
        fits: Whether notes fit together.
    """
    kept: dict[str, str] = {}

    def has_room(name: str, note: str) -> bool:
        return fits({**kept, name: note})

    for name, note in notes.items():
        beginning = shortened(note, functools.partial(has_room, name))
        if beginning or not note:
            kept[name] = beginning
    return kept


def _longest(beginnings: Sequence[str], fits: Callable[[str], bool]) -> str:
    """The last that fits of texts that get longer and longer; "" if none does."""
    too_long = bisect_left(beginnings, True, key=lambda beginning: not fits(beginning))  # noqa: FBT003
    return beginnings[too_long - 1] if too_long else ""
