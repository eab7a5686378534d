"""Describes a message by the kinds of values it has, and by whether it may correct an earlier one."""

import re

__all__ = ["BRIEF", "CORRECTS", "VALUES", "kinds_of"]

_CORRECTING = re.compile(
    r"\b(?:actually|instead|no longer|not any ?more|correction|scratch that|no,? wait|wait,|change (?:that|it|the|this)"
    r"|changed|overrid\w+|overrul\w+|revised?|updated?|finali[sz]ed|official(?:ly)?|switch\w*|from now on|as of"
    r"|rather than|never mind|replac\w+|moved? (?:it|that|to)|postpone\w*|reschedul\w*|on second thoughts?"
    r"|make (?:that|it)|i meant|was wrong|is now|now is|proceed with|per the"
    r"|doch nicht|nicht mehr|stattdessen|korrektur|ge\u00e4ndert|verschoben)\b"
    r"|\b(?:now|instead)[.!]|\u66f4\u6b63|\u6539\u4e3a|\u6539\u6210|\u4e0d\u518d|\u800c\u4e0d\u662f",
    re.IGNORECASE,
)
_MOST_WORDS = 57
_BRIEF = 14

# What stands for another of its kind though the two share no word: an amount, a date or time, a number.
_KINDS = (
    re.compile(r"[$\u20ac\u00a3\u00a5]\s?\d"),
    re.compile(
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|year|today|tomorrow|tonight|noon|\d{1,2}\s?[ap]m"
        r"|\d{1,2}:\d\d|january|february|march|april|june|july|august|september|october|november|december"
        r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|woche|uhr)\b",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![$\u20ac\u00a3\u00a5\d.,])\d"),
)
VALUES = (1 << len(_KINDS)) - 1
"""The bits of the kinds of values."""

CORRECTS = 1 << len(_KINDS)
"""The bit of a message that may correct another."""

BRIEF = 2 << len(_KINDS)
"""The bit of one that is so short that it need not name what it corrects."""


def kinds_of(text: str) -> int:
    """Describe a text by bits: the kinds of values in it, whether it may correct something, and refers to that only."""
    kinds = sum(1 << place for place, kind in enumerate(_KINDS) if kind.search(text))
    length = len(text.split())
    if length > _MOST_WORDS or not _CORRECTING.search(text):
        return kinds
    return kinds | CORRECTS | BRIEF * (length <= _BRIEF)
