"""Search by words: the messages of one conversation and their context, ranked by BM25."""

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Analyser, Terms
from memzoo.memories.search.passages import Columns, Places
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.passage import Passage, in_words
from memzoo.stores import JSON

__all__ = ["WordIndex"]

Numbers: TypeAlias = NDArray[numpy.float64]

# The usual parameters of BM25, and the least weight of a word, as in SQLite's FTS5.
_K1, _B = 1.2, 0.75
_LEAST_WEIGHT = 1e-6

_STEP = 512
_FEW_WORDS = 32
_LONGEST_PHRASE = 16


class WordIndex:
    """The words of a conversation, searched in three grains.

    A message is looked for in its own text, in the text around it, and in the larger segment in which it stands. So
    an answer is found though the words of the question were said a few messages before. Each grain begins with its
    date, and the words of the date count like any others: a question that names a month or a day finds what was said
    then. What tells of the speaker ("I", "my", "we") counts a little more, what asks a little less: answers seldom
    rest on questions.

    There is no inverted index: the terms of all messages stand in one array, which is scanned for each word of a
    query. That takes less time than it takes to keep such an index, and a stored conversation is searchable at once.

    Args:
        names: Labels of speakers that count as names: who is asked about probably said it.
        weights: How much each part counts.

    Example:
        >>> from datetime import UTC, datetime
        >>> now = datetime(2026, 1, 1, tzinfo=UTC)
        >>> index = WordIndex()
        >>> index.add([Passage(1, "Human", "I moved to Oslo", now, 1), Passage(2, "AI", "My cat likes fish", now, 2)])
        >>> next(iter(index.scores("What does the cat eat?")))
        2
    """

    def __init__(self, names: Iterable[str] = (), weights: Weights | None = None) -> None:
        self.columns = Columns()
        self._names = frozenset(names)
        self._weights = weights or Weights()
        self._analyser = Analyser()
        self._days: dict[int, Terms] = {}
        self._lock = threading.Lock()
        self._grains: _Grains | None = None

    def add(self, passages: Iterable[Passage]) -> None:
        """Put in messages that follow in the log, oldest first; those that are there already are left alone."""
        with self._lock:
            new = [one for one in passages if one.seq > self.columns.last]
            for step in (new[start : start + _STEP] for start in range(0, len(new), _STEP)):
                self.columns.add(step, *self._analyser.terms(one.text for one in step))
                self._grains = None

    def packed(self, after: int) -> dict[str, JSON]:
        """The messages numbered above `after` as items of a state."""
        with self._lock:
            places = [
                *range(int(self.columns.places_of([after + 1])[0]), len(self.columns.rows), _STEP),
                len(self.columns.rows),
            ]
            return {
                f"{self.columns.rows['seq'][start]:012}": self.columns.packed(start, end)
                for start, end in itertools.pairwise(places)
            }

    def unpack(self, items: Mapping[str, JSON]) -> None:
        """Put what was packed into an empty index."""
        with self._lock:
            if not self.columns.last:
                self.columns.unpack(items[key] for key in sorted(items))
                self._grains = None

    def scores(self, query: str, points: Mapping[int, float] = MappingProxyType({})) -> dict[int, float]:
        """How well messages fit a query, by log number, best first, the older first among equals.

        Args:
            query: What is looked for. Messages around which no word of it stands are left out.
            points: What is added to messages by log number, whether words find them or not.
        """
        with self._lock:
            found, total = self._scored(query)
            seqs = self.columns.rows["seq"]
            for place, seq in zip(self.columns.places_of(list(points)), points, strict=True):
                if place < len(seqs) and seqs[place] == seq:
                    found[place] = True
                    total[place] += points[seq]
            places = numpy.flatnonzero(found)
            best = places[numpy.argsort(-total[places], kind="stable")]
            return dict(zip(seqs[best].tolist(), total[best].tolist(), strict=True))

    def exchanges(self, seqs: Sequence[int], k: int) -> list[tuple[int, int]]:
        """The first `k` exchanges that some messages are of, each as the numbers of its first and last message."""
        with self._lock:
            rows = self.columns.rows
            documents = rows["document"][self.columns.places_of(seqs)]
            firsts = list(dict.fromkeys(documents.tolist()))[:k]
            ends = numpy.searchsorted(rows["document"], firsts, side="right")
            return list(zip(firsts, rows["seq"][ends - 1].tolist(), strict=True))

    def _scored(self, query: str) -> tuple[NDArray[numpy.bool_], Numbers]:
        """Which messages have words of the query around them, and the scores of these, zero for all others."""
        weights, rows = self._weights, self.columns.rows
        if not len(rows) or not (weights.own or weights.around or weights.segment):
            return numpy.zeros(len(rows), numpy.bool_), numpy.zeros(len(rows))
        self._grains = grains = self._grains or self._cut()
        own, around, segment = scores = [numpy.zeros(len(grain.first)) for grain in grains.grains]
        for word in self._words(query, grains.dates):
            for grain, score in zip(grains.grains, scores, strict=True):
                grain.add(word, score)
        found = around > 0
        fit = weights.own * own + weights.around * around + weights.segment * segment[grains.segment_of]
        asked_about = [
            number
            for label, number in self.columns.speakers.items()
            if label in self._names and label.casefold() in query.casefold()
        ]
        total = fit + weights.speaker * numpy.isin(rows["speaker"], asked_about)
        total += fit[found].max(initial=0.0) * (weights.telling * rows["tells"] - weights.asking * rows["asks"])
        return found, numpy.where(found, total, 0.0)

    def _words(self, query: str, dates: Terms) -> "Iterator[_Word]":
        """The words of a query that stand anywhere, with where they do."""
        terms, offsets = self.columns.terms, self.columns.offsets
        phrases = [phrase[:_LONGEST_PHRASE] for phrase in self._analyser.phrases(query)]
        positions = _positions(terms, {int(phrase[0]) for phrase in phrases})
        for phrase in phrases:
            starts = positions[int(phrase[0])]
            for offset, term in enumerate(phrase[1:], start=1):
                starts = starts[starts + offset < len(terms)]
                starts = starts[terms[starts + offset] == term]
            on_days = sum(
                (dates[:, place : place + len(phrase)] == phrase).all(axis=1)
                for place in range(dates.shape[1] - len(phrase) + 1)
            )
            if len(starts) or numpy.any(on_days):
                began = _before(starts, offsets)
                finished = began if len(phrase) == 1 else _before(starts + len(phrase) - 1, offsets)
                yield _Word(began, finished, on_days + numpy.zeros(len(dates), numpy.int64))

    def _cut(self) -> "_Grains":
        """The grains of all messages, made anew when there are more of them."""
        columns, places = self.columns, numpy.arange(len(self.columns.rows))
        days = columns.rows["day"]
        another = numpy.diff(days, prepend=0) != 0
        dates, lengths = self._dates(days[another].tolist())
        day_of = numpy.cumsum(another) - 1
        starts = numpy.flatnonzero(columns.rows["opens"])
        spans = [(places, places + 1), (columns.first, columns.end), (starts, numpy.append(starts[1:], len(places)))]
        grains: list[_Grain] = []
        for first, end in spans:
            length = columns.offsets[end] - columns.offsets[first] + lengths[day_of[first]]
            norm = _K1 * (1 - _B + _B * length / max(length.mean(), _LEAST_WEIGHT))
            grains.append(_Grain(first, end, day_of[first], norm))
        return _Grains(grains, numpy.cumsum(columns.rows["opens"]) - 1, dates)

    def _dates(self, days: Sequence[int]) -> tuple[Terms, Places]:
        """The terms of dates, a row for each day, and how many each has."""
        if not self._weights.dates:
            return numpy.zeros((len(days), 0), numpy.uint64), numpy.zeros(len(days), numpy.int64)
        if new := [day for day in days if day not in self._days]:
            terms, counts = self._analyser.terms(in_words(date.fromordinal(day)) for day in new)
            self._days |= zip(new, numpy.split(terms, numpy.cumsum(counts)[:-1]), strict=True)
        counts = numpy.array([len(self._days[day]) for day in days])
        table = numpy.zeros((len(days), counts.max()), numpy.uint64)
        table[numpy.arange(counts.max()) < counts[:, None]] = numpy.concatenate([self._days[day] for day in days])
        return table, counts


class _Grain(NamedTuple):
    """The spans of messages that are searched as one text each.

    Attributes:
        first: The place of the first message of each.
        end: The place after the last one.
        day: The row of its date.
        norm: What the length of each takes from the weight of its words.
    """

    first: Places
    end: Places
    day: Places
    norm: Numbers

    def add(self, word: "_Word", scores: Numbers) -> None:
        """Add the score of a word to the scores of the spans in which it stands."""
        count = word.finished[self.end] - word.began[self.first]
        if word.on_days.any():
            count = numpy.maximum(count, 0) + word.on_days[self.day]
        # A phrase that reaches over an end begins there and does not finish: less than none.
        found = numpy.flatnonzero(count > 0)
        count, rest = count[found], len(count) - len(found)
        weight = max(numpy.log((rest + 0.5) / (len(found) + 0.5)), _LEAST_WEIGHT)
        scores[found] += weight * count * (_K1 + 1) / (count + self.norm[found])


class _Grains(NamedTuple):
    """The messages, the windows around them and the segments; the segment of each message; the terms of each date."""

    grains: Sequence[_Grain]
    segment_of: Places
    dates: Terms


class _Word(NamedTuple):
    """A word or phrase of a query.

    Attributes:
        began: How often it begins before each place.
        finished: How often it ends before each place.
        on_days: How often it stands in each date. A phrase does not reach from a date into a text.
    """

    began: Places
    finished: Places
    on_days: Places


def _positions(terms: Terms, wanted: AbstractSet[int]) -> dict[int, Places]:
    """Where each of the wanted terms stands."""
    if len(wanted) <= _FEW_WORDS:
        return {term: numpy.flatnonzero(terms == numpy.uint64(term)) for term in wanted}
    # A pasted page asks for thousands of words: sorting once then costs less than a scan for each.
    places = numpy.flatnonzero(numpy.isin(terms, numpy.fromiter(wanted, numpy.uint64)))
    places = places[numpy.argsort(terms[places], kind="stable")]
    found, starts = numpy.unique(terms[places], return_index=True)
    absent = dict.fromkeys(wanted, places[:0])
    return absent | dict(zip(found.tolist(), numpy.split(places, starts[1:]), strict=True))


def _before(positions: Places, offsets: Places) -> Places:
    """How many of some positions among the terms lie before each message, and before the end."""
    places = numpy.searchsorted(offsets, positions, side="right") - 1
    return numpy.concatenate([[0], numpy.cumsum(numpy.bincount(places, minlength=len(offsets) - 1))])
