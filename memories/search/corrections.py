"""Finds messages that correct earlier messages: both share rare words, or kinds of values such as dates."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from memzoo.memories.search.kinds import CORRECTS, SURELY, VALUES
from memzoo.memories.search.rows import Numbers, Places, Rows, Terms, spread
from memzoo.memories.search.weights import Weights

__all__ = ["CORRECTING", "Corrections"]

CORRECTING = frozenset(
    """
    actually any anymore back change changed changing correction decided delayed finalized instead longer make mind
    mistake misspoke more moved never no not now official officially postponed proceed pushed replaced rescheduled
    revised settled shifted sorry switched switching today updated upgraded used wait wrong
    doch nicht mehr nein stattdessen korrektur ge\u00e4ndert verschoben
    """.split()
)
"""Words that signal a correction, and say nothing about its subject."""

_NEWEST = 400
_SAMPLE = 20_000

# A message with at least this share of questions corrects nothing.
_ASKING = 0.5
# A length in letters. A sure correction up to this length need not share words with the corrected message ("Make that
# 50"): a value of the same kind is enough.
_BRIEF = 77
_NEARLY_BEST = 0.7
# The least score of a clear correction of a message that is not among the best.
_CLEARLY = 1.5


class Corrections(NamedTuple):
    """The messages of a conversation that may correct earlier messages, as arrays.

    Attributes:
        rows: A row of numbers for each message, as returned by `rows_of`.
        terms: The words of all messages.
        ends: The position in `terms` of each message's first word, followed by the length of `terms`.
        places: The positions of the possible corrections among all messages.
        kinds: The result of `kinds_of` for each possible correction.
        lengths: The length of each possible correction, in letters.
        words: The different words of the possible corrections, sorted, without common words.
        said_by: For each of `words`, the number of possible corrections with the word.
        owners: The possible corrections with the first of `words`, then those with the second, and so on; each is an
            index in `places`.
        rareness: For each item of `owners`, the rareness of its word.
        needed: A threshold for each possible correction: the words that it shares with a message must have at least
            this total rareness. If correction and message have values of the same kind, half the threshold applies.
    """

    rows: Rows
    terms: Terms
    ends: Places
    places: Places
    kinds: Places
    lengths: Places
    words: Terms
    said_by: Places
    owners: Places
    rareness: Numbers
    needed: Numbers

    @classmethod
    def of(cls, rows: Rows, terms: Terms, common: Terms, weights: Weights) -> "Corrections":
        """Find the possible corrections in a conversation; `common` words are ignored."""
        ends = numpy.append(0, numpy.cumsum(rows["terms"]))
        places = numpy.flatnonzero((rows["kinds"] & CORRECTS).astype(bool) & (rows["asks"] < _ASKING))[-_NEWEST:]
        counts = rows["terms"][places]
        owners = numpy.repeat(numpy.arange(len(places)), counts)
        words = terms[spread(ends[places], counts)]
        order = numpy.lexsort((owners, words))
        owners, words = owners[order], words[order]
        repeated = numpy.append(False, (owners[1:] == owners[:-1]) & (words[1:] == words[:-1]))[: len(words)]
        is_rare = ~repeated & ~numpy.isin(words, common)
        owners, words = owners[is_rare], words[is_rare]
        rareness, kinds = _rareness(words, terms), rows["kinds"][places]
        share = numpy.where(kinds & SURELY, weights.sure_correction, weights.possible_correction)
        needed = numpy.maximum(share * numpy.bincount(owners, rareness, minlength=len(places)), weights.same_subject)
        words, said_by = numpy.unique(words, return_counts=True)
        return cls(rows, terms, ends, places, kinds, rows["length"][places], words, said_by, owners, rareness, needed)

    def newest(self, places: Sequence[int], longest: int, first: int) -> list[list[int]]:
        """Return, for each message, the positions of at most two later corrections.

        They are the most similar correction, and the newest of the corrections that are nearly as similar.

        Args:
            places: The positions of the messages.
            longest: The maximum length of a correction, in letters.
            first: The number of messages, from the beginning of `places`, for which any correction counts. For the
                other messages, a correction must be clear (see `SURELY`), and reach 1.5 times the threshold `needed`.
        """
        if not len(self.places):
            return [[] for _ in places]
        messages = numpy.array(places, numpy.int64)
        surely = numpy.arange(len(places))[:, None] >= first
        may = (self.places > messages[:, None]) & (self.lengths <= longest)
        may &= ~surely | (self.kinds & SURELY).astype(bool)
        # From the last correction to the first: among equal scores, the last is the best.
        scores = numpy.where(may, self._scores(messages), 0.0)[:, ::-1]
        nearly = _NEARLY_BEST * scores.max(axis=1, keepdims=True)
        fits = scores >= numpy.maximum(numpy.where(surely, _CLEARLY, 1.0), nearly)
        found = self.places[::-1][numpy.stack([scores.argmax(axis=1), fits.argmax(axis=1)], axis=1)].tolist()
        return [list(dict.fromkeys(two)) if any_ else [] for two, any_ in zip(found, fits.any(axis=1), strict=True)]

    def _scores(self, messages: Places) -> Numbers:
        """Return for each message a score for each correction: the shared rareness, as a multiple of `needed`."""
        counts, size = self.rows["terms"][messages], (len(messages), len(self.places))
        said = self.terms[spread(self.ends[messages], counts)]
        at = numpy.searchsorted(self.words, said)
        known = numpy.append(self.words, numpy.uint64(0))[at] == said
        is_said = numpy.zeros(len(messages) * len(self.words), numpy.bool_)
        is_said[numpy.repeat(numpy.arange(len(messages)), counts)[known] * len(self.words) + at[known]] = True
        message, word = numpy.divmod(numpy.flatnonzero(is_said), len(self.words))
        pairs = spread((numpy.cumsum(self.said_by) - self.said_by)[word], self.said_by[word])
        together = numpy.repeat(message, self.said_by[word]) * len(self.places) + self.owners[pairs]
        shared = numpy.bincount(together, self.rareness[pairs], minlength=size[0] * size[1]).reshape(size)
        comparable = (self.kinds & self.rows["kinds"][messages][:, None] & VALUES).astype(bool)
        is_brief = (self.kinds & SURELY).astype(bool) & (self.lengths <= _BRIEF)
        # For messages with values of one kind, half the shared rareness is enough.
        scores: Numbers = numpy.maximum(shared / self.needed * (1 + comparable), is_brief & comparable)
        return scores


def _rareness(words: Terms, terms: Terms) -> Numbers:
    """Return the rareness of words in a sample of the terms, on a logarithmic scale from 0 to 1."""
    sample = numpy.sort(terms[:: max(1, len(terms) // _SAMPLE)])
    counts = numpy.searchsorted(sample, words, "right") - numpy.searchsorted(sample, words)
    rareness: Numbers = 1 - numpy.log(counts + 1) / numpy.log(len(sample) + 2)
    return rareness
