"""Tells who is asked about: speakers by their labels, and by what they call themselves and each other."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy

from memzoo.memories.search.analysis import hashed
from memzoo.memories.search.rows import Rows

__all__ = ["Speakers", "called", "speaker_number"]

# What stands for a part in the talk is nobody's name.
_PARTS = frozenset("human ai user assistant system tool function developer".split())

_NAME = r"((?-i:[A-Z\u00c0-\u00de])[\w\u00c0-\u017f]{1,20})"
_INTRODUCED = re.compile(
    rf"\b(?:my name is|my name's|call me|ich hei\u00dfe|mein name ist|this is|i'm|i am|ich bin) {_NAME}\b",
    re.IGNORECASE,
)
_GREETED = r"(?:hey|hi|hello|hiya|hallo|thanks|thank you|danke|wow|yeah|bye|congrats|sure|nice)(?:,| there)?"
_ADDRESSED = re.compile(rf"(?:^|[.!?] ){_GREETED} {_NAME}\b[!,.?]|, {_NAME}[!.?]", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LONGEST_LABEL = 3
_KEY = 3
_OFTEN = 2


def speaker_number(label: str) -> int:
    """Return a number that stands for a speaker, whatever the case of the label."""
    return hashed(label.casefold().encode(errors="replace"))


def called(text: str) -> tuple[int, int]:
    """Return what a text calls its own speaker and the other one, as numbers; 0 for neither."""
    own, other = _INTRODUCED.search(text), _ADDRESSED.search(text)
    return _key(own[1]) if own else 0, _key(other[1] or other[2]) if other else 0


class Speakers:
    """Who speaks in a conversation, and what they are called.

    Args:
        rows: All messages.
    """

    def __init__(self, rows: Rows) -> None:
        self._known = frozenset(numpy.unique(rows["speaker"]).tolist()) - frozenset(map(speaker_number, _PARTS))
        counts: Counter[tuple[int, int]] = Counter()
        speakers, own, other = rows["speaker"], rows["own"], rows["other"]
        for place in numpy.flatnonzero(own).tolist():
            counts[int(speakers[place]), int(own[place])] += 1
        for place in numpy.flatnonzero(other[1:] * (speakers[1:] != speakers[:-1])).tolist():
            counts[int(speakers[place]), int(other[place + 1])] += 1
        self._called: dict[int, int] = {}
        for (speaker, name), count in counts.most_common():
            if count >= _OFTEN and speaker not in self._called.values():
                self._called.setdefault(name, speaker)

    def find_asked(self, query: str) -> list[int]:
        """The numbers of the speakers whom a query names."""
        labels = {speaker_number(label) for label in _labels(query)} & self._known
        names = {_key(word) for word in _WORD.findall(query) if word[:1].isupper()}
        return [*labels, *(self._called[name] for name in names & self._called.keys())]


def _labels(query: str) -> Iterator[str]:
    """All runs of a few words."""
    words = list(_WORD.finditer(query))
    for first in range(len(words)):
        for last in words[first : first + _LONGEST_LABEL]:
            yield query[words[first].start() : last.end()]


def _key(name: str) -> int:
    """The first letters: "Mel" is Melanie."""
    return hashed(name.casefold()[:_KEY].encode(errors="replace"))
