"""What a search has to know of each message: numbers in columns, and its terms."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Terms
from memzoo.memories.text.passage import Passage
from memzoo.stores import JSON

__all__ = ["Columns", "Places"]

Places: TypeAlias = NDArray[numpy.int64]
"""Places of messages among all, counted from 0."""

# Context is bounded in length, not in messages: where messages are long, three of them are too much.
_WINDOW_CHARACTERS = 850
_SEGMENT_CHARACTERS = 3_000
_PAUSE = 3_600 * 1_000_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# `day` as `date.toordinal`, `said_at` in microseconds, `speaker` as in `speakers`; `opens` a segment.
_ROW = numpy.dtype(
    [
        *((name, "<i8") for name in ("seq", "document", "said_at", "length", "terms")),
        *((name, "<i4") for name in ("day", "speaker")),
        *((name, "?") for name in ("opens", "tells")),
        ("asks", "<f8"),
    ]
)

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b", re.IGNORECASE)
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+")


class Columns:
    """The messages of a conversation in order; around each a window of context, and the segments they stand in.

    A window reaches from a message to both sides, a segment is one of the blocks that the conversation is cut into;
    neither reaches over a pause of more than an hour, and both are bounded in characters (850 and 3,000).

    Attributes:
        rows: A row of numbers for each message.
        terms: The terms of all messages, one after another.
        offsets: Where the terms of each message begin, and where the last ones end.
        speakers: The number of each speaker by label, in the order in which they first spoke.
        first: The place with which the window of each message begins.
        end: The place after its window.
    """

    def __init__(self) -> None:
        self.rows: NDArray[Any] = numpy.empty(0, _ROW)
        self.terms: Terms = numpy.empty(0, numpy.uint64)
        self.offsets: Places = numpy.zeros(1, numpy.int64)
        self.speakers: dict[str, int] = {}
        self.first: Places = numpy.empty(0, numpy.int64)
        self.end: Places = numpy.empty(0, numpy.int64)

    @property
    def last(self) -> int:
        """The number of the newest message; 0 if there is none."""
        return int(self.rows["seq"][-1]) if len(self.rows) else 0

    def add(self, passages: Sequence[Passage], terms: Terms, counts: Iterable[int]) -> None:
        """Put in messages that follow, with their terms and how many each has."""
        opens = self._openings(passages)
        new = [
            (
                *(one.seq, one.document, _microseconds(one.said_at), len(one.text), count),
                *(one.said_at.toordinal(), self._number(one.speaker), opening, *_telling_and_asking(one.text)),
            )
            for one, count, opening in zip(passages, counts, opens, strict=True)
        ]
        self._extend(numpy.array(new, _ROW), terms)

    def packed(self, start: int, end: int) -> dict[str, JSON]:
        """The messages from one place to another as JSON."""
        rows, offsets = self.rows[start:end], self.offsets
        known, met = (int(self.rows["speaker"][:place].max(initial=-1)) + 1 for place in (start, end))
        return {
            "rows": base64.b64encode(rows.tobytes()).decode(),
            "terms": base64.b64encode(self.terms[offsets[start] : offsets[end]].tobytes()).decode(),
            "speakers": list(self.speakers)[known:met],
        }

    def unpack(self, items: Iterable[Mapping[str, JSON]]) -> None:
        """Put in what was packed, in its order."""
        rows, terms = bytearray(), bytearray()
        for item in items:
            rows += base64.b64decode(item["rows"])
            terms += base64.b64decode(item["terms"])
            for label in item["speakers"]:
                self._number(label)
        self._extend(numpy.frombuffer(rows, _ROW), numpy.frombuffer(terms, numpy.uint64))

    def places_of(self, seqs: Sequence[int]) -> Places:
        """For each of some numbers, the place of the first message with it or a greater one."""
        return numpy.searchsorted(self.rows["seq"], seqs)

    def _extend(self, rows: NDArray[Any], terms: Terms) -> None:
        kept = self._settled()
        self.rows = numpy.concatenate([self.rows, rows])
        self.terms = numpy.concatenate([self.terms, terms])
        self.offsets = numpy.concatenate([[0], numpy.cumsum(self.rows["terms"])])
        first, end = self._windows(numpy.arange(kept, len(self.rows)))
        self.first = numpy.concatenate([self.first[:kept], first])
        self.end = numpy.concatenate([self.end[:kept], end])

    def _settled(self) -> int:
        """How many messages have windows that stay as they are whatever follows."""
        last = len(self.rows)
        lengths = _room_of(self.rows["length"][max(0, last - _WINDOW_CHARACTERS) :][::-1])
        return max(0, last - 1 - int(numpy.searchsorted(numpy.cumsum(lengths), _WINDOW_CHARACTERS)))

    def _windows(self, places: Places) -> tuple[Places, Places]:
        """Where windows begin and end. All grow together, each by turns to the left and to the right."""
        lengths = _room_of(numpy.append(self.rows["length"], 0))
        closed = numpy.ones(len(lengths), numpy.bool_)
        closed[1:-1] = numpy.diff(self.rows["said_at"]) > _PAUSE
        first, end, room = places.copy(), places + 1, _WINDOW_CHARACTERS - lengths[places]
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

    def _openings(self, passages: Iterable[Passage]) -> list[bool]:
        """Which of the messages that follow begin a segment."""
        begun = numpy.flatnonzero(self.rows["opens"])
        size = int(self.rows["length"][begun[-1] :].sum()) if len(begun) else 0
        before = int(self.rows["said_at"][-1]) if len(self.rows) else -(2**62)
        opens: list[bool] = []
        for passage in passages:
            now, length = _microseconds(passage.said_at), len(passage.text)
            opens.append(now - before > _PAUSE or size + length > _SEGMENT_CHARACTERS)
            before, size = now, length + (0 if opens[-1] else size)
        return opens

    def _number(self, speaker: str) -> int:
        return self.speakers.setdefault(speaker, len(self.speakers))


def _telling_and_asking(text: str) -> tuple[bool, float]:
    """Whether a text tells of its speaker, and the share of its sentences that ask."""
    sentences: list[str] = _BETWEEN_SENTENCES.split(text.strip())
    return _FIRST_PERSON.search(text) is not None, sum(one.endswith("?") for one in sentences) / len(sentences)


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _room_of(lengths: Places) -> Places:
    # An empty message takes room too, or one window could reach over thousands of them.
    return numpy.maximum(lengths, 1)
