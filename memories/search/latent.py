"""Finds what is about the same in other words: latent semantic analysis of what is known."""

from typing import NamedTuple, TypeAlias

import numpy
from numpy.typing import NDArray

from memzoo.memories.search.rows import Numbers, Places, Terms, spread

__all__ = ["LatentSpace", "Placed"]

Placed: TypeAlias = NDArray[numpy.float32]
"""A row for each text: where it lies."""

# Some more axes than are kept, and a few rounds, bring those that are kept near to the true ones.
_SPARE = 8
_ROUNDS = 3
_MOST = 2_000
_LEAST_LENGTH = 1e-9


class LatentSpace(NamedTuple):
    """The few axes along which texts differ most: words are near that stand in the same texts, or beside the same.

    This is latent semantic analysis (Deerwester et al. 1990), by subspace iteration, which goes through the words a few
    times: what it takes grows with their number alone, and ends at that of 2,000 texts.

    Attributes:
        words: The different words, sorted.
        rareness: How rare each is.
        axes: Where each stands, in so many numbers.
    """

    words: Terms
    rareness: Numbers
    axes: Placed

    @classmethod
    def of(cls, terms: Terms, first: Places, end: Places, sample: Places, axes: int) -> "LatentSpace":
        """Work out the axes of texts.

        Args:
            terms: All words.
            first: Where the words of each text begin.
            end: Where they end.
            sample: The texts in the order in which they are drawn, where there are more than 2,000.
            axes: How many there are to be.
        """
        drawn = numpy.sort(sample[:_MOST])
        counts = end[drawn] - first[drawn]
        words, known = numpy.unique(terms[spread(first[drawn], counts)], return_inverse=True)
        if not len(words):
            return cls(words, numpy.empty(0), numpy.empty((0, 1), numpy.float32))
        text, word, often = _count_words(numpy.repeat(numpy.arange(len(drawn)), counts), known, len(words))
        rareness = numpy.log(max(len(drawn), 2) / numpy.bincount(word, minlength=len(words)))
        value = numpy.log1p(often) * rareness[word]
        value /= numpy.sqrt(numpy.maximum(numpy.bincount(text, value**2, len(drawn)), _LEAST_LENGTH))[text]
        by_text, by_word = _Sums(text, len(drawn)), _Sums(word, len(words))
        size = min(axes + _SPARE, len(drawn), len(words))
        basis = numpy.random.default_rng(0).standard_normal((len(words), size)).astype(numpy.float32)
        weight = value.astype(numpy.float32)[:, None]
        for _ in range(_ROUNDS):
            seen = by_text(weight * basis[word])
            basis, _upper = numpy.linalg.qr(by_word(weight * seen[text]))
        seen = by_text(weight * basis[word])
        _left, _sizes, turned = numpy.linalg.svd(seen, full_matrices=False)
        return cls(words, rareness, basis @ turned[:axes].T)

    def place(self, terms: Terms, first: Places, end: Places) -> Placed:
        """Say in which direction texts lie, as vectors of length 1; of length 0 for those without a known word."""
        counts = end - first
        said = terms[spread(first, counts)]
        at = numpy.searchsorted(self.words, said)
        is_known = numpy.append(self.words, 0)[at] == said
        owners = numpy.repeat(numpy.arange(len(first)), counts)
        text, word, often = _count_words(owners[is_known], at[is_known], len(self.words))
        value = (numpy.log1p(often) * self.rareness[word]).astype(numpy.float32)
        placed = _Sums(text, len(first))(value[:, None] * self.axes[word])
        directions: Placed = placed / numpy.maximum(numpy.linalg.norm(placed, axis=1, keepdims=True), _LEAST_LENGTH)
        return directions


class _Sums:
    """Adds up rows by groups."""

    def __init__(self, group: Places, count: int) -> None:
        self._order = numpy.argsort(group, kind="stable")
        self._present, self._starts = numpy.unique(group[self._order], return_index=True)
        self._count = count

    def __call__(self, rows: Placed) -> Placed:
        sums = numpy.zeros((self._count, rows.shape[1]), numpy.float32)
        if len(self._starts):
            sums[self._present] = numpy.add.reduceat(rows[self._order], self._starts)
        return sums


def _count_words(text: Places, word: Places, words: int) -> tuple[Places, Places, Places]:
    """Each word of each text once, with how often it stands there."""
    pairs, often = numpy.unique(text * words + word, return_counts=True)
    return pairs // max(words, 1), pairs % max(words, 1), often
