"""Describes each message by a row of numbers, and draws a window of context around it."""

import re
from collections.abc import Iterable, Sequence

import numpy

from memzoo.memories.search.kinds import kinds_of
from memzoo.memories.search.rows import ROW, Places, Rows
from memzoo.memories.search.speakers import called, speaker_number
from memzoo.memories.text.view import Passage

__all__ = ["PAUSE", "reach", "rows_of", "windows"]

# Context is bounded in length, not in messages: where messages are long, three of them are too much.
_SEGMENT_CHARACTERS = 3_000

PAUSE = 3_600
"""Seconds after which another talk begins."""
# However short a message is, it takes so much room: else one window could reach over hundreds of "ok".
_LEAST_LENGTH = 10

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def rows_of(passages: Sequence[Passage], counts: Iterable[int], before: Rows) -> Rows:
    """Describe messages, each with its number of terms; what began in the rows `before` goes on."""
    size = _size_of_segment(before)
    last, document = (float(before["said_at"][-1]), int(before["document"][-1])) if len(before) else (-numpy.inf, 0)
    rows: list[tuple[object, ...]] = []
    for passage, count in zip(passages, counts, strict=True):
        now, length = passage.said_at.timestamp(), len(passage.text)
        room = max(length, _LEAST_LENGTH)
        opens = now - last > PAUSE or size + room > _SEGMENT_CHARACTERS
        last, size = now, room if opens else size + room
        document = passage.seq if passage.begins or not document else document
        numbers = (
            passage.seq,
            document,
            length,
            count,
            speaker_number(passage.speaker),
            *called(passage.text),
            now,
        )
        rows.append((*numbers, opens, *_telling_and_asking(passage.text), kinds_of(passage.text)))
    return numpy.array(rows, ROW)


def _size_of_segment(rows: Rows) -> int:
    begun = numpy.flatnonzero(rows["opens"])
    return int(numpy.maximum(rows["length"][begun[-1] :], _LEAST_LENGTH).sum()) if len(begun) else 0


def reach(size: int) -> int:
    """Return how many messages a window of so many characters has at most, since each takes some room."""
    return size // _LEAST_LENGTH


def windows(rows: Rows, places: Places, size: int) -> tuple[Places, Places]:
    """Find where the windows of some messages begin and end: they end at a pause, or when they are full.

    All grow together, each by turns to the left and to the right.

    Args:
        rows: All messages.
        places: Those whose windows are wanted.
        size: Characters of a window.
    """
    lengths = numpy.maximum(numpy.append(rows["length"], _LEAST_LENGTH), _LEAST_LENGTH)
    closed = numpy.ones(len(lengths), numpy.bool_)
    closed[1:-1] = numpy.diff(rows["said_at"]) > PAUSE
    first, end, room = places.copy(), places + 1, size - lengths[places]
    growing = numpy.arange(len(places))
    while len(growing):
        left = first[growing]
        fits = ~closed[left] & (lengths[left - 1] <= room[growing])
        first[growing] -= fits
        room[growing] -= fits * lengths[left - 1]
        right = end[growing]
        fitting = ~closed[right] & (lengths[right] <= room[growing])
        end[growing] += fitting
        room[growing] -= fitting * lengths[right]
        growing = growing[fits | fitting]
    return first, end


def _telling_and_asking(text: str) -> tuple[bool, float]:
    """Say whether a text tells of its speaker, and which share of its sentences asks."""
    sentences: list[str] = _BETWEEN_SENTENCES.split(text.strip())
    return _FIRST_PERSON.search(text) is not None, sum(one.endswith("?") for one in sentences) / len(sentences)
