"""The spans of a conversation that are searched as one text each, scored by BM25."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy

from memzoo.memories.search.rows import Numbers, Places, Terms
from memzoo.memories.search.speakers import Speakers
from memzoo.memories.search.units import UnitWeights
from memzoo.memories.search.weights import Weights

__all__ = ["Grain", "SearchedText", "phrase_counts"]

# As in SQLite's FTS5: a word never counts less.
_LEAST_WEIGHT = 1e-6
_LONGEST_PHRASE = 16


class Grain(NamedTuple):
    """The spans of messages that are searched as one text each.

    Attributes:
        first: The place of the first message of each.
        end: The place after the last one.
        day: The place of its date.
        norm: What the length of each takes from the weight of its words.
        saturation: See `Weights`.
    """

    first: Places
    end: Places
    day: Places
    norm: Numbers
    saturation: float

    @classmethod
    def of(cls, spans: tuple[Places, Places], day: Places, ends: Places, weights: Weights | UnitWeights) -> "Grain":
        """Measure spans, given by their first messages and by those after the last; `ends` of the terms of each."""
        first, end = spans
        length = ends[end] - ends[first] + ends[day + 1] - ends[day]
        relative = weights.dilution * length / max(length.mean(), _LEAST_WEIGHT)
        return cls(first, end, day, weights.saturation * (1 - weights.dilution + relative), weights.saturation)

    def add(self, began: Places, finished: Places, scores: Numbers, share: float = 1.0) -> None:
        """Add the score of a word, or a share of it, to the scores of the spans in which it stands."""
        # A phrase that reaches over a span from end to end began before it and does not finish in it: less than none.
        count = numpy.maximum(finished.take(self.end) - began.take(self.first), 0)
        if finished[-1] > began[self.day[0]]:  # It stands in a date.
            count += numpy.maximum(finished.take(self.day + 1) - began.take(self.day), 0)
        found = numpy.flatnonzero(count > 0)
        count, rest = count[found], len(count) - len(found)
        weight = max(numpy.log((rest + 0.5) / (len(found) + 0.5)), _LEAST_WEIGHT)
        scores[found] += share * weight * count * (self.saturation + 1) / (count + self.norm[found])


class SearchedText(NamedTuple):
    """All that is searched: the messages, and behind them their dates.

    Attributes:
        terms: The terms of all of it.
        ends: Where the terms of each message begin, and where the last ones end.
        grains: The messages, the windows around them, the segments.
        segment: The place of the segment in which each message stands.
        worth: See `worth`.
        answering: See `answering`.
        speakers: Who speaks: who is asked about probably said it.
    """

    terms: Terms
    ends: Places
    grains: Sequence[Grain]
    segment: Places
    worth: Numbers
    answering: Numbers
    speakers: Speakers

    def find(self, phrases: Sequence[Terms]) -> Iterator[tuple[Places, Places]]:
        """See `phrase_counts`."""
        return phrase_counts(self.terms, self.ends, phrases)


def phrase_counts(terms: Terms, ends: Places, phrases: Sequence[Terms]) -> Iterator[tuple[Places, Places]]:
    """Tell of each phrase that stands anywhere how often it begins and how often it ends before each message.

    Args:
        terms: The terms of all messages.
        ends: Where the terms of each message begin, and where the last ones end.
        phrases: What is looked for.
    """
    # Going through the text once for all words bounds the cost of a pasted page, which asks for thousands.
    words = numpy.unique(numpy.array([phrase[0] for phrase in phrases], numpy.uint64))
    places = numpy.flatnonzero(numpy.isin(terms, words))
    # Small numbers instead of the terms themselves, since those are sorted in one go (by radix).
    which = numpy.searchsorted(words, terms[places]).astype(numpy.min_scalar_type(len(words)))
    after = numpy.cumsum(numpy.bincount(which, minlength=len(words)))
    positions = dict(zip(words.tolist(), numpy.split(places[numpy.argsort(which, kind="stable")], after), strict=False))
    for phrase in phrases:
        starts = positions[int(phrase[0])]
        for offset, term in enumerate(phrase[1:_LONGEST_PHRASE], start=1):
            starts = starts[starts + offset < len(terms)]
            starts = starts[terms[starts + offset] == term]
        if len(starts):
            began, further = _before(ends, starts), min(len(phrase), _LONGEST_PHRASE) - 1
            yield began, _before(ends, starts + further) if further else began


def _before(ends: Places, positions: Places) -> Places:
    """Count how many of some positions among the terms lie before each message, and before the end."""
    behind = numpy.searchsorted(ends, positions, side="right")
    return numpy.cumsum(numpy.bincount(behind, minlength=len(ends)))
