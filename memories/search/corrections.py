"""Finds what a later message corrects: by shared rare words, values of the same kind, and words of correction."""

from typing import NamedTuple

import numpy

from memzoo.memories.search.kinds import CORRECTS, SURELY, VALUES
from memzoo.memories.search.rows import Numbers, Places, Rows, Terms
from memzoo.memories.search.weights import Weights

__all__ = ["Corrections"]

_NEWEST = 400
_SAMPLE = 20_000

# Who mostly asks corrects nothing.
_ASKING = 0.5
# In words. So short a message need not name what it corrects ("Make that 50"): a value of the same kind will do.
_BRIEF = 14
_NEARLY_BEST = 0.7


class Corrections(NamedTuple):
    """The messages that may correct others.

    Attributes:
        rows: All messages.
        terms: The words of all of them.
        ends: Where the words of each begin, and where the last end.
        places: The messages that may correct others.
        owners: For each different word of these, which of them it is of.
        words: These words.
        rareness: How rare they are.
        needed: How much of that each has to share with what it corrects.
    """

    rows: Rows
    terms: Terms
    ends: Places
    places: Places
    owners: Places
    words: Terms
    rareness: Numbers
    needed: Numbers

    @classmethod
    def of(cls, rows: Rows, terms: Terms, common: Terms, weights: Weights) -> "Corrections":
        """Look through a conversation; `common` words say nothing."""
        ends = numpy.append(0, numpy.cumsum(rows["terms"]))
        places = numpy.flatnonzero((rows["kinds"] & CORRECTS).astype(bool) & (rows["asks"] < _ASKING))[-_NEWEST:]
        counts = rows["terms"][places]
        owners = numpy.repeat(numpy.arange(len(places)), counts)
        within: Places = numpy.arange(int(counts.sum())) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
        words = terms[numpy.repeat(ends[places], counts) + within]
        order = numpy.lexsort((words, owners))
        owners, words = owners[order], words[order]
        repeated = numpy.append(False, (owners[1:] == owners[:-1]) & (words[1:] == words[:-1]))[: len(words)]
        told = ~repeated & ~numpy.isin(words, common)
        owners, words = owners[told], words[told]
        rareness = _rareness(words, terms)
        share = numpy.where(rows["kinds"][places] & SURELY, weights.sure_correction, weights.possible_correction)
        needed = numpy.maximum(share * numpy.bincount(owners, rareness, minlength=len(places)), weights.same_subject)
        return cls(rows, terms, ends, places, owners, words, rareness, needed)

    def newest(self, place: int, longest: int) -> list[int]:
        """Return the later corrections of a message, as places in the log: the newest, and the one most like it.

        Args:
            place: The message.
            longest: Words that a correction may have.
        """
        if not len(self.places):
            return []
        may = (self.places > place) & (self.rows["terms"][self.places] <= longest)
        scores = numpy.where(may, self._scores(place), 0.0)
        fitting = numpy.flatnonzero(scores >= max(1.0, _NEARLY_BEST * scores.max()))
        # The last of equals.
        best = len(scores) - 1 - int(scores[::-1].argmax())
        return self.places[list(dict.fromkeys([best, int(fitting[-1])]))].tolist() if len(fitting) else []

    def _scores(self, place: int) -> Numbers:
        """How much each has in common with a message, as a multiple of what it needs."""
        said = self.terms[self.ends[place] : self.ends[place + 1]]
        in_both = numpy.isin(self.words, said)
        shared = numpy.bincount(self.owners[in_both], self.rareness[in_both], minlength=len(self.places))
        kinds = self.rows["kinds"][self.places]
        comparable = (kinds & self.rows["kinds"][place] & VALUES).astype(bool)
        is_brief = (kinds & SURELY).astype(bool) & (self.rows["terms"][self.places] <= _BRIEF)
        # Of two values of one kind, half as much in common shows that they are of the same thing.
        scores: Numbers = numpy.maximum(shared / self.needed * (1 + comparable), is_brief & comparable)
        return scores


def _rareness(words: Terms, terms: Terms) -> Numbers:
    """How rare words are, from 0 to 1 on a scale of logarithms, by a sample."""
    sample = numpy.sort(terms[:: max(1, len(terms) // _SAMPLE)])
    counts = numpy.searchsorted(sample, words, "right") - numpy.searchsorted(sample, words)
    rareness: Numbers = 1 - numpy.log(counts + 1) / numpy.log(len(sample) + 2)
    return rareness
