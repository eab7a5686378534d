"""Corrections: what a sentence says is wrong, and what becomes of older statements then."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from memzoo.memories.models.offline.statements import Statement
from memzoo.memories.text.words import content_stems

__all__ = ["Correction", "correction", "revised"]

_LONGEST = 5
_NEAR = 2
_HINTS = ("not ", "n't ", "n’t ", "instead of", "rather than", "no longer")
_NOT = re.compile(r"\b(?:not|(?:is|was)n['’]t|instead of|rather than|no longer) (?=\S)", re.IGNORECASE)
_STOP = re.compile(r"[,;:.!?()—–]|\s(?:but|because|since|as|when|while|so|and|that|which|who|after|before)\b")
_LEAD = re.compile(r"^(?:in|on|at|to|from|by|of|for|the|an?|with|any ?more|is|was|are)\s+", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:actually|correction|mistaken?|wrong|sorry|i meant|no longer|turns? out|in fact|after all|changed)\b"
    r"|\bmisspel|^no,",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")


class Correction(NamedTuple):
    """What a sentence puts right.

    Attributes:
        wrong: The words that it says are wrong.
        right: The words of the same shape that it says instead (a number for a number, a name for a name); empty where
            there are none.
    """

    wrong: str
    right: str


def correction(sentence: str) -> Correction | None:
    """What a sentence puts right: "it is 41 Weir Street, not 14", "not Tuesday but Friday", "no longer at Equinor".

    Common words are taken to be wrong only where the sentence says so in another way, too ("actually", "I was wrong"):
    "tea, not coffee" is a taste.
    """
    denial = _NOT.search(sentence) if any(hint in sentence for hint in _HINTS) else None
    if not denial:
        return None
    rest = sentence[denial.end() :]
    stop = _STOP.search(rest)
    wrong = _trimmed(rest[: stop.start()] if stop else rest)
    if not wrong or len(wrong.split()) > _LONGEST or not (_marked(wrong) or _CUE.search(sentence)):
        return None
    before, after = sentence[: denial.start()], rest[stop.end() :] if stop else ""
    return Correction(wrong, _of_shape(wrong, before) or _of_shape(wrong, after))


def _trimmed(phrase: str) -> str:
    phrase = phrase.strip(" \"'“”‘’")
    while lead := _LEAD.match(phrase):
        phrase = phrase[lead.end() :]
    return _ORDINAL.sub("", phrase)


def _marked(phrase: str) -> bool:
    """Whether a phrase is of names and numbers, which do not occur by chance."""
    return all(not word[0].islower() for word in phrase.split())


def _of_shape(wrong: str, instead: str) -> str:
    if not _marked(wrong):
        return ""
    size = len(wrong.split())
    given = _ORDINAL.sub("", instead).replace(",", ", ").split() if "," not in wrong else instead.split()
    for start in range(len(given) - size, -1, -1):
        window = " ".join(given[start : start + size]).strip(' ,.;:!"“”')
        if _shape(window) == _shape(wrong) and window != wrong:
            return window
    return ""


def _shape(phrase: str) -> list[tuple[bool, bool]]:
    return [(word[0].isupper(), any(map(str.isdigit, word))) for word in phrase.split()]


def revised(statements: Sequence[Statement], first_new: int) -> tuple[list[Statement], list[Statement]]:
    """Statements as they stand after the new ones: what these put right is changed in those before, or left out.

    Args:
        statements: All statements, in the order said.
        first_new: Where the new ones begin.

    Returns:
        The older and the new ones that are left.
    """
    standing: list[Statement | None] = list(statements)
    for place in range(first_new, len(statements)):
        if found := correction(statements[place].text):
            near = statements[max(first_new, place - _NEAR) : place + _NEAR + 1]
            topic = {root for statement in near for root in content_stems(statement.whole)}
            standing[:place] = [old and _after(old, found, topic) for old in standing[:place]]
    older = [statement for statement in standing[:first_new] if statement]
    return older, [statement for statement in standing[first_new:] if statement]


def _after(old: Statement, found: Correction, topic: Iterable[str]) -> Statement | None:
    wrong = re.compile(rf"(?<![\w£$€.,]){re.escape(found.wrong)}(?![\w%]|[.,]\d)")
    if not wrong.search(old.text) or correction(old.text):
        return old
    others = set(content_stems(old.whole)) - set(content_stems(found.wrong))
    if others.isdisjoint(topic):
        return old
    return replace(old, text=wrong.sub(lambda _: found.right, old.text)) if found.right else None
