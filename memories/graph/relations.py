"""Synonyms of relations, and the relations with only one object for each subject."""

import re

from memzoo.memories.text.names import canonical

SINGLE_VALUED = frozenset(
    f"{verb} {rest}"
    for verb, rests in {
        "lives": ("in", "at"),
        "works": ("at", "for", "as"),
        "is": ("married to", "located in", "aged", "called", "named", "due on", "scheduled for", "employed by"),
        "was": ("born in", "born on", "founded in"),
        "has": ("age", "name", "favorite color", "favourite colour", "a favorite color", "a favourite colour"),
        "costs": ("",),
        "opens": ("on", "at"),
        "starts": ("on", "at"),
        "takes": ("place on", "place in"),
    }.items()
    for rest in rests
)
"""The relations that allow a subject one object at a time: a new object supersedes the old object."""

_SAME = {
    "lives in": ("resides in", "moved to", "has moved to", "relocated to", "has relocated to", "is living in"),
    "works at": ("works for", "is employed by", "is employed at", "is working at", "is working for"),
    "is scheduled for": ("was moved to", "has been moved to", "was rescheduled to", "has been rescheduled to"),
    "costs": ("now costs", "has a price of"),
}
_MEANT = {same: relation for relation, others in _SAME.items() for same in others}
_ADVERBS = frozenset("now currently presently still already recently just really also".split())
# "is among", "is one of" and "is" are equivalent when a fact is denied.
_FILLERS = _ADVERBS | frozenset("a an the among one of".split())
_WORD = re.compile(r"\w+")


def plain(relation: str) -> str:
    """Return a relation in its most common wording, without adverbs of time.

    Example:
        >>> plain("now lives in"), plain("moved to"), plain("Likes")
        ('lives in', 'lives in', 'likes')
    """
    bare = " ".join(word for word in canonical(relation).split() if word not in _ADVERBS) or canonical(relation)
    return _MEANT.get(bare, bare)


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text without adverbs of time, articles, "among" and "one of".

    Example:
        >>> content_words("is one of the tallest") == content_words("is among the tallest")
        True
    """
    return frozenset(_WORD.findall(canonical(text))) - _FILLERS
