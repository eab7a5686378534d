"""Describes each message by a row of numbers, from which its context, its speaker and its worth are computed."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy

from memzoo.memories.search.corrections import kinds_of
from memzoo.memories.search.languages.zh import RUN
from memzoo.memories.search.rows import Numbers, Places, Rows
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.words import count_letters, hash_word
from memzoo.memories.text.view import Passage

__all__ = [
    "ROW",
    "Speakers",
    "doublings",
    "locate",
    "nearness",
    "reach",
    "rows_of",
    "weigh_answers",
    "windows",
    "worth",
]

ROW = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "document", "length", "terms")),
        *((name, "<u8") for name in ("speaker", "own", "other")),
        ("said_at", "<f8"),
        ("opens", "?"),
        ("tells", "?"),
        ("asks", "<f8"),
        ("kinds", "<i8"),
    ]
)
"""The fields of a message's row. `document` is the first log number of its exchange; `said_at` is NaN if unknown;
`opens` is true at the beginning of a segment; `tells` is true if the message tells of its speaker; `asks` is the share
of questions among its sentences; `own` and `other` stand for the names that the message gives its own speaker and the
other speaker (`_find_called`); `kinds` are the kinds of values in the message (`kinds_of`)."""

# Context is limited in letters, not in messages: of long messages, even three are too much.
_SEGMENT_LETTERS = 3_000

# The pause, in seconds, after which a new segment begins.
_PAUSE = 3_600
# Even a shorter message takes this many letters of room: otherwise a window could span hundreds of "ok".
_LEAST_LENGTH = 10

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b|[我咱]", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])(?=.)")

# Labels of roles, which are not names of speakers.
_PARTS = frozenset("human ai user assistant system tool function developer".split())

_NAME = r"((?-i:[A-Z\u00c0-\u00de])[\w\u00c0-\u017f]{1,20})"
_INTRODUCED = re.compile(
    rf"\b(?:my name is|my name's|call me|ich hei\u00dfe|mein name ist|this is|i'm|i am|ich bin) {_NAME}\b",
    re.IGNORECASE,
)
_GREETED = r"(?:hey|hi|hello|hiya|hallo|thanks|thank you|danke|wow|yeah|bye|congrats|sure|nice)(?:,| there)?"
_ADDRESSED = re.compile(rf"(?:^|[.!?] ){_GREETED} {_NAME}\b[!,.?]|, {_NAME}[!.?]", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LONGEST_LABEL, _HAN_LABELS = 3, (2, 3, 4)
_KEY = 3
_OFTEN = 2


def rows_of(passages: Sequence[Passage], counts: Iterable[int], before: Rows) -> Rows:
    """Return the rows of messages that have `counts` terms, and follow the messages with the rows `before`.

    The first messages may belong to the last segment and the last exchange of `before`.
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
        speaker, called = _speaker_number(passage.speaker), _find_called(passage.text)
        numbers = (passage.seq, document, length, count, speaker, *called, now)
        rows.append((*numbers, opens, *_measure_talk(passage.text), kinds_of(passage.text)))
    return numpy.array(rows, ROW)


def windows(rows: Rows, places: Places, size: int) -> tuple[Places, Places]:
    """Return the beginnings and the ends of the windows around messages: a window grows to a pause or until full.

    All windows grow together, each by turns to the left and to the right.

    Args:
        rows: The rows of all messages.
        places: The places of the messages in the windows' centres.
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
    """Return the number of messages that a window of `size` letters can have at most; empty messages count, too."""
    return size // _LEAST_LENGTH


class Speakers:
    """The speakers of a conversation, and the names by which messages call the speakers.

    Args:
        rows: The rows of all messages.
    """

    def __init__(self, rows: Rows) -> None:
        self._known = frozenset(numpy.unique(rows["speaker"]).tolist()) - frozenset(map(_speaker_number, _PARTS))
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
        """Return the numbers of the speakers named in a query."""
        labels = {_speaker_number(label) for label in _labels(query)} & self._known
        names = {_key(word) for word in _WORD.findall(query) if word[:1].isupper()}
        return [*labels, *(self._called[name] for name in names & self._called.keys())]


def worth(rows: Rows, weights: Weights) -> Numbers:
    """Return each message's gain or loss, as a share of the best score by words.

    A message that tells of its speaker gains. Questions, long messages and messages of talkative speakers lose.
    """
    gain: Numbers = weights.telling * rows["tells"] - weights.asking * rows["asks"]
    length = weights.length * doublings(rows["terms"], weights.short)
    return gain - length - weights.talkative * doublings(_usual_lengths(rows), weights.short)


def weigh_answers(rows: Rows) -> Numbers:
    """Return, for each message, the share of questions in the message before; 0 after a long pause."""
    follows = ~(numpy.diff(rows["said_at"]) > _PAUSE)
    return numpy.append(numpy.zeros(min(len(rows), 1)), rows["asks"][:-1] * follows)


def locate(seqs: Places, similarities: Mapping[int, float]) -> tuple[Places, Numbers]:
    """Return the positions in `seqs` of the messages with a similarity, and these similarities.

    Messages that are not in `seqs` are left out.
    """
    numbers = numpy.fromiter(similarities, numpy.int64)
    values = numpy.fromiter(similarities.values(), numpy.float64)
    places = numpy.searchsorted(seqs, numbers)
    known = numpy.append(seqs, -1)[places] == numbers
    return places[known], values[known]


def nearness(count: int, places: Places, similarities: Numbers, weights: Weights) -> Numbers:
    """Return each message's nearness to the query; 0 for the least similar of the messages found by embeddings.

    Messages not found have nearness 0, too. The unit of nearness is the standard deviation of the found similarities.

    Each message also gets a share of the nearness of the message before, and of the message after.

    Args:
        count: The number of all messages.
        places: The places of the messages found by embeddings.
        similarities: The similarity at each of these places.
        weights: The shares for the message before and the message after.
    """
    near = numpy.zeros(count + 2)
    if len(places) and (spread := similarities.std()) > 0:
        near[places + 1] = (similarities - similarities.min()) / spread
    return near[1:-1] + weights.before * near[:-2] + weights.after * near[2:]


def doublings(lengths: Places | Numbers, short: int) -> Numbers:
    """Return how often `short` must be doubled to reach each length (a fraction); 0 for lengths up to `short`."""
    logarithms: Numbers = numpy.log2(numpy.maximum(lengths, short) / short)
    return logarithms


def _size_of_segment(rows: Rows) -> int:
    begun = numpy.flatnonzero(rows["opens"])
    return int(numpy.maximum(rows["length"][begun[-1] :], _LEAST_LENGTH).sum()) if len(begun) else 0


def _measure_talk(text: str) -> tuple[bool, float]:
    """Return True if a text tells of its speaker ("I", "we"); and the share of questions among its sentences."""
    sentences: list[str] = _BETWEEN_SENTENCES.split(text.strip())
    asking = sum(one.endswith(("?", "\uff1f")) for one in sentences)
    return _FIRST_PERSON.search(text) is not None, asking / len(sentences)


def _speaker_number(label: str) -> int:
    """Return a number that stands for a speaker; the case of the label does not matter."""
    return hash_word(label.casefold().encode(errors="replace"))


def _find_called(text: str) -> tuple[int, int]:
    """Return the names that a text gives its own speaker and the other speaker, as numbers; 0 for no name."""
    own, other = _INTRODUCED.search(text), _ADDRESSED.search(text)
    return _key(own[1]) if own else 0, _key(other[1] or other[2]) if other else 0


def _labels(query: str) -> Iterator[str]:
    """Yield all runs of one to three words in a query, and of two to four Chinese or Japanese characters."""
    words = list(_WORD.finditer(query))
    for first in range(len(words)):
        for last in words[first : first + _LONGEST_LABEL]:
            yield query[words[first].start() : last.end()]
    for run in RUN.findall(query):
        for first, size in itertools.product(range(len(run)), _HAN_LABELS):
            yield run[first : first + size]


def _key(name: str) -> int:
    """Return a number for the first letters of a name: "Mel" is Melanie."""
    return hash_word(name.casefold()[:_KEY].encode(errors="replace"))


def _usual_lengths(rows: Rows) -> Numbers:
    """Return, for each message, the mean number of terms in its speaker's messages."""
    _, who, counts = numpy.unique(rows["speaker"], return_inverse=True, return_counts=True)
    means: Numbers = numpy.bincount(who, rows["terms"], minlength=len(counts)) / counts
    return means[who]
