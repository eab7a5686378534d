"""Describes each message by a row of numbers about its context, its speaker and its value as an answer."""

import re
from collections.abc import Iterable, Sequence

import numpy

from memzoo.memories.search.kinds import kinds_of
from memzoo.memories.search.languages.zh import RUN
from memzoo.memories.search.rows import Numbers, Places, Rows
from memzoo.memories.search.words import count_letters, hash_word
from memzoo.memories.text.view import Passage

ROW = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "document", "length", "terms")),
        ("speaker", "<u8"),
        ("said_at", "<f8"),
        ("opens", "?"),
        ("tells", "?"),
        ("asks", "<f8"),
        ("kinds", "<i8"),
    ]
)
"""The fields of a message's row. `seq` is its log number. `document` is the first log number of its exchange; `said_at`
is NaN if unknown; `opens` is true at the beginning of a segment; `tells` is true if the message speaks of "I" or "we";
`asks` is the share of questions among its sentences; `kinds` are the kinds of values in the message (`kinds_of`)."""

# Context is limited in letters, not in messages: of long messages, even three are too much.
_SEGMENT_LETTERS = 3_000

# The pause, in seconds, after which a new segment begins.
_PAUSE = 3_600
# Even a shorter message takes this many letters of room: otherwise a window could span hundreds of "ok".
_LEAST_LENGTH = 10

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b|[我咱]", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])(?=.)")

_WORD = re.compile(r"\w+")
_LONGEST_LABEL, _HAN_LABELS = 3, (2, 3, 4)


def rows_of(passages: Sequence[Passage], counts: Iterable[int], before: Rows) -> Rows:
    """Return a row for each new message, with the fields of `ROW`.

    `counts` has the number of terms in each new message. `before` has the rows of all earlier messages: the first new
    message may continue the last exchange and the last segment (a run of messages without a long pause).
    """
    size = _size_of_segment(before)
    last, document = (float(before["said_at"][-1]), int(before["document"][-1])) if len(before) else (-numpy.inf, 0)
    rows: list[tuple[object, ...]] = []
    for passage, count in zip(passages, counts, strict=True):
        now, length = passage.said_at.timestamp() if passage.said_at else numpy.nan, count_letters(passage.text)
        room = max(length, _LEAST_LENGTH)
        opens = last == -numpy.inf or now - last > _PAUSE or size + room > _SEGMENT_LETTERS
        last, size = now, room if opens else size + room
        document = passage.seq if passage.begins or not document else document
        numbers = (passage.seq, document, length, count, _speaker_number(passage.speaker), now)
        tells = _FIRST_PERSON.search(passage.text) is not None
        rows.append((*numbers, opens, tells, _count_questions(passage.text), kinds_of(passage.text)))
    return numpy.array(rows, ROW)


def windows(rows: Rows, places: Places, size: int) -> tuple[Places, Places]:
    """Return the positions at which the windows around messages begin and end.

    A window grows by one message on each side in turn. A side stops growing at a long pause, or at a message for which
    the window has no room.

    Args:
        rows: The rows of all messages.
        places: The positions of the messages in the windows' centres.
        size: The size of a window, in letters.
    """
    lengths = numpy.maximum(numpy.append(rows["length"], _LEAST_LENGTH), _LEAST_LENGTH)
    closed = numpy.ones(len(lengths), numpy.bool_)
    closed[1:-1] = numpy.diff(rows["said_at"]) > _PAUSE
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


def reach(size: int) -> int:
    """Return the maximum number of messages in a window of `size` letters. A message counts as at least ten letters."""
    return size // _LEAST_LENGTH


def find_labels(query: str) -> set[int]:
    """Return the hashes of all parts of a query that could be a speaker's name.

    Such a part is a run of one to three words, or of two to four Chinese or Japanese characters.
    """
    words = list(_WORD.finditer(query))
    ends = ((first, last) for place, first in enumerate(words) for last in words[place : place + _LONGEST_LABEL])
    labels = [query[first.start() : last.end()] for first, last in ends]
    for run in RUN.findall(query):
        labels += [run[first : first + size] for first in range(len(run)) for size in _HAN_LABELS]
    return set(map(_speaker_number, labels)) - _PARTS


def weigh_answers(rows: Rows) -> Numbers:
    """Return, for each message, the share of questions among the sentences of the message before it.

    A message after questions probably answers them. After a long pause, the share is 0.
    """
    follows = ~(numpy.diff(rows["said_at"]) > _PAUSE)
    return numpy.append(numpy.zeros(min(len(rows), 1)), rows["asks"][:-1] * follows)


def _size_of_segment(rows: Rows) -> int:
    begun = numpy.flatnonzero(rows["opens"])
    return int(numpy.maximum(rows["length"][begun[-1] :], _LEAST_LENGTH).sum()) if len(begun) else 0


def _count_questions(text: str) -> float:
    """Return the share of questions among a text's sentences."""
    sentences: list[str] = _BETWEEN_SENTENCES.split(text.strip())
    return sum(one.endswith(("?", "\uff1f")) for one in sentences) / len(sentences)


def _speaker_number(label: str) -> int:
    """Return a number that stands for a speaker; the case of the label does not matter."""
    return hash_word(label.casefold().encode(errors="replace"))


# Labels of roles, which are not names of speakers.
_PARTS = set(map(_speaker_number, "human ai user assistant system tool function developer".split()))
