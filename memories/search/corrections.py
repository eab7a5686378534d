"""Finds messages that correct earlier messages: the two share rare words, or kinds of values such as dates."""

from collections.abc import Sequence

import numpy

from memzoo.memories.search.kinds import CORRECTS, SURELY, VALUES
from memzoo.memories.search.rows import Numbers, Places, Rows, Terms, spread
from memzoo.memories.search.weights import Weights

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


class Corrections:
    """The messages of a conversation that may correct earlier messages.

    Args:
        rows: A row of numbers for each message, as returned by `rows_of`.
        terms: The words of all messages.
        common: Words that are ignored.
        weights: The weights of the search.
    """

    def __init__(self, rows: Rows, terms: Terms, common: Terms, weights: Weights) -> None:
        self._rows, self._terms = rows, terms
        # The position of each message's first word, then the number of all words.
        self._ends = ends = numpy.append(0, numpy.cumsum(rows["terms"]))
        found = (rows["kinds"] & CORRECTS).astype(bool) & (rows["asks"] < _ASKING)
        self._places = places = numpy.flatnonzero(found)[-_NEWEST:]
        self._lengths: Places = rows["length"][places]
        self._kinds: Places = rows["kinds"][places]
        self._is_sure = (self._kinds & SURELY).astype(bool)
        counts = rows["terms"][places]
        owners = numpy.repeat(numpy.arange(len(places)), counts)
        words = terms[spread(ends[places], counts)]
        order = numpy.lexsort((owners, words))
        owners, words = owners[order], words[order]
        repeated = numpy.append(False, (owners[1:] == owners[:-1]) & (words[1:] == words[:-1]))[: len(words)]
        is_rare = ~repeated & ~numpy.isin(words, common)
        # The corrections with the first of the words, then those with the second, and so on; the rareness of the words.
        self._owners, words = owners[is_rare], words[is_rare]
        self._rareness = _rareness(words, terms)
        # Its shared words must have this total rareness; half of it, if both messages have values of the same kind.
        share = numpy.where(self._is_sure, weights.sure_correction, weights.possible_correction)
        total = numpy.bincount(self._owners, self._rareness, minlength=len(places))
        self._needed = numpy.maximum(share * total, weights.same_subject)
        # The different words, and the number of corrections with each.
        self._words, self._said_by = numpy.unique(words, return_counts=True)

    def newest(self, places: Sequence[int], longest: int, first: int) -> list[list[int]]:
        """Return, for each message, the positions of at most two later corrections.

        One is the most similar correction; the other is the newest of those that are nearly as similar.

        Args:
            places: The positions of the messages.
            longest: The maximum length of a correction, in letters.
            first: The number of messages, from the beginning of `places`, for which any correction counts. For the
                others, a correction must be clear (see `SURELY`), and must reach 1.5 times the usual similarity.
        """
        if not len(self._places):
            return [[] for _ in places]
        messages = numpy.array(places, numpy.int64)
        surely = numpy.arange(len(places))[:, None] >= first
        may = (self._places > messages[:, None]) & (self._lengths <= longest)
        may &= ~surely | self._is_sure
        # From the last correction to the first: among equal scores, the last is the best.
        scores = numpy.where(may, self._scores(messages), 0.0)[:, ::-1]
        nearly = _NEARLY_BEST * scores.max(axis=1, keepdims=True)
        fits = scores >= numpy.maximum(numpy.where(surely, _CLEARLY, 1.0), nearly)
        found = self._places[::-1][numpy.stack([scores.argmax(axis=1), fits.argmax(axis=1)], axis=1)].tolist()
        return [list(dict.fromkeys(two)) if any_ else [] for two, any_ in zip(found, fits.any(axis=1), strict=True)]

    def _scores(self, messages: Places) -> Numbers:
        """Return for each message a score for each correction: the shared rareness, as a multiple of the threshold."""
        counts, size = self._rows["terms"][messages], (len(messages), len(self._places))
        said = self._terms[spread(self._ends[messages], counts)]
        at = numpy.searchsorted(self._words, said)
        known = numpy.append(self._words, numpy.uint64(0))[at] == said
        is_said = numpy.zeros(len(messages) * len(self._words), numpy.bool_)
        is_said[numpy.repeat(numpy.arange(len(messages)), counts)[known] * len(self._words) + at[known]] = True
        message, word = numpy.divmod(numpy.flatnonzero(is_said), len(self._words))
        pairs = spread((numpy.cumsum(self._said_by) - self._said_by)[word], self._said_by[word])
        together = numpy.repeat(message, self._said_by[word]) * len(self._places) + self._owners[pairs]
        shared = numpy.bincount(together, self._rareness[pairs], minlength=size[0] * size[1]).reshape(size)
        comparable = (self._kinds & self._rows["kinds"][messages][:, None] & VALUES).astype(bool)
        is_brief = self._is_sure & (self._lengths <= _BRIEF)
        # For messages with values of one kind, half the shared rareness is enough.
        scores: Numbers = numpy.maximum(shared / self._needed * (1 + comparable), is_brief & comparable)
        return scores


def _rareness(words: Terms, terms: Terms) -> Numbers:
    """Return the rareness of words in a sample of the terms, on a logarithmic scale from 0 to 1."""
    sample = numpy.sort(terms[:: max(1, len(terms) // _SAMPLE)])
    counts = numpy.searchsorted(sample, words, "right") - numpy.searchsorted(sample, words)
    rareness: Numbers = 1 - numpy.log(counts + 1) / numpy.log(len(sample) + 2)
    return rareness
