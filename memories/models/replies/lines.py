"""Helpers for parsing replies: words for "nothing", marks before a line, quotes around a name."""

import re

from memzoo.errors import ModelReplyError
from memzoo.memories.text.names import canonical

_NOTHING = re.compile(
    r"\W*(?:(?:nothing|no)(?: new)?(?: (?:information|facts|names))?(?: (?:provided|given|available))?|"
    r"unchanged|none|n/a)\W*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m |i am )?(?:very |really |so )?sorry\b|i apologi[sz]e\b|"
    r"as an ai(?: language model| model| assistant)?,|"
    r"i (?:can(?:no|['’])t|cannot|am unable to|am not able to|['’]m unable to|won['’]t)\s)",
    re.IGNORECASE,
)
# The prompts' words for "nothing to tell"; models often add a reason.
_NOTHING_FIRST = re.compile(r"\W*(?:NOTHING NEW|NONE)\b(?:[^\w\n]*\n|[.*_ ]*[-–—(])")
LABEL = re.compile(r"^\W*(?:output|answer|result|entities|names|triples|facts|knowledge)\s*:\s*", re.IGNORECASE)
BULLET = re.compile(r"^\s*(?:[-*•–]+\s+|\(?\d{1,3}[.)]\s+)")
SAME = re.compile(r"^[^\S\n]*(?:[-*•–]+ +)?([^=:\n]{1,80})=([^=:\n]{1,80})$", re.MULTILINE)
# A dot after one of these words belongs to the name.
_SHORT = re.compile(
    r"(?:\b(?:co|inc|ltd|llc|llp|corp|plc|bros|jr|sr|st|dr|mr|mrs|ms|prof|esq|ave|rd|blvd|dept|mt|no|etc)|\.\w{1,3}|\b[^\W\d_])\.$",
    re.IGNORECASE,
)
LONGEST_NAME = 80
MOST_WORDS = 10
LONGEST_SOURCE = 50_000
_AROUND = " \t*_`"
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』", "„": "“"}


def says_nothing(text: str) -> bool:
    """Return whether a text says that there is nothing, such as "None"."""
    return bool(_NOTHING.fullmatch(LABEL.sub("", text.strip())) or _NOTHING_FIRST.match(text))


def refuses(text: str) -> bool:
    """Return whether a text begins like a refusal."""
    return _REFUSAL.match(text) is not None


def can_be_name(text: str) -> bool:
    """Return whether a text is short enough for a name."""
    return len(text) <= LONGEST_NAME and len(text.split()) <= MOST_WORDS and bool(canonical(text))


def unusable(reply: str) -> ModelReplyError:
    """Return the error for a reply that contains no answer."""
    error = ModelReplyError(f"the model's reply cannot be used, nothing was changed: {reply[:200]!r}")
    error.reply, error.refused = reply.strip(), refuses(reply)
    return error


def unwrap(text: str) -> str:
    """Return a text without spaces, marks and quotes around it. Quotes around only a part of the text stay.

    Example:
        >>> unwrap('*"The Quiet Girl"*'), unwrap('the band "Summer Sounds"'), unwrap('"Yes')
        ('The Quiet Girl', 'the band "Summer Sounds"', 'Yes')
    """
    text = text.strip(_AROUND)
    for opening, closing in _QUOTES.items():
        inner = text[1:-1]
        if text[:1] == opening and text[-1:] == closing and opening not in inner and closing not in inner:
            return inner.strip(_AROUND)
        if text[:1] == opening and closing not in text[1:]:
            text = text[1:].lstrip(_AROUND)
        if text[-1:] == closing and opening not in text[:-1]:
            text = text[:-1].rstrip(_AROUND)
    return text


def bare_name(name: str) -> str:
    """Return a name without a bullet before it, quotes around it or a full stop after it."""
    return without_stop(unwrap(BULLET.sub("", name).strip(";,")))


def without_stop(text: str) -> str:
    """Return a name without the full stop of a sentence. The full stop of "Co." stays."""
    return text if _SHORT.search(text) or not text.endswith(".") or text.endswith("..") else text[:-1]
