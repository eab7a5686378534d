"""Finds what a later message corrects: by shared rare words, values of the same kind, and words of correction."""

from typing import NamedTuple

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.analysis import Places, Terms
from memzoo.memories.search.kinds import BRIEF, CORRECTS, VALUES
from memzoo.memories.search.rows import Rows

__all__ = ["Corrections"]

Numbers = NDArray[numpy.float64]

# In the units of the weight of a word: the logarithm of how rare it is.
_SAME_KIND, _BRIEFLY, _ENOUGH = 3.0, 2.0, 5.0
_NEARLY_BEST = 0.7
_NEWEST = 400
_SAMPLE = 20_000


class Corrections(NamedTuple):
    """The messages that may correct others.

    Attributes:
        rows: All messages.
        terms: The words of all of them.
        ends: Where the words of each begin, and where the last end.
        places: The messages that may correct others.
        owners: For each different word of these, which of them it is of.
        words: These words.
        weights: How rare they are.
    """

    rows: Rows
    terms: Terms
    ends: Places
    places: Places
    owners: Places
    words: Terms
    weights: Numbers

    @classmethod
    def of(cls, rows: Rows, terms: Terms, common: Terms) -> "Corrections":
        """Look through a conversation; `common` words say nothing."""
        ends = numpy.append(0, numpy.cumsum(rows["terms"]))
        places = numpy.flatnonzero(rows["kinds"] & CORRECTS)[-_NEWEST:]
        counts = rows["terms"][places]
        owners = numpy.repeat(numpy.arange(len(places)), counts)
        within: Places = numpy.arange(int(counts.sum())) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
        words = terms[numpy.repeat(ends[places], counts) + within]
        told = ~numpy.isin(words, common)
        owners, words = owners[told], words[told]
        return cls(rows, terms, ends, places, owners, words, _rareness(words, terms))

    def newest(self, place: int, longest: int) -> list[int]:
        """Return the later corrections of a message, as places in the log: the newest, and the one most like it.

        Args:
            place: The message.
            longest: Words that a correction may have.
        """
        if not len(self.places):
            return []
        scores = numpy.where(self.rows["terms"][self.places] <= longest, self._scores(place), 0.0)
        fitting = numpy.flatnonzero(scores >= max(_ENOUGH, _NEARLY_BEST * scores.max()))
        # The last of equals.
        best = len(scores) - 1 - int(scores[::-1].argmax())
        return self.places[list(dict.fromkeys([best, int(fitting[-1])]))].tolist() if len(fitting) else []

    def _scores(self, place: int) -> Numbers:
        """How much each correction has in common with a message; those before it have nothing."""
        said = self.terms[self.ends[place] : self.ends[place + 1]]
        shared = numpy.isin(self.words, said)
        scores = numpy.bincount(self.owners[shared], self.weights[shared], minlength=len(self.places))
        kinds = self.rows["kinds"][self.places]
        is_brief = (kinds & BRIEF) > 0
        has_kind = (kinds & self.rows["kinds"][place] & VALUES) > 0
        return numpy.where(self.places > place, scores + _SAME_KIND * has_kind + _BRIEFLY * is_brief, 0.0)


def _rareness(words: Terms, terms: Terms) -> Numbers:
    """The logarithm of how rare words are, by a sample."""
    sample = numpy.sort(terms[:: max(1, len(terms) // _SAMPLE)])
    counts = numpy.searchsorted(sample, words, "right") - numpy.searchsorted(sample, words)
    rareness: Numbers = numpy.log((len(sample) + 1) / (counts + 1)) / 2
    return rareness
