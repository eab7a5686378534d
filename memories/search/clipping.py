"""Shortens a long message to the excerpt that matters for a question."""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy

from memzoo.forks import cached_property
from memzoo.memories.search.analysis import Analyser

__all__ = ["GAP", "Clipper"]

GAP = "[...]"
"""Stands in an excerpt for what is left out."""

# A sentence or a line; one that never ends is cut after so many characters, where a word ends if it can be.
_PIECE = re.compile(r"\S(?:[^\n.!?\u3002\uff01\uff1f]|[.!?](?=\S)){0,239}(?:[.!?\u3002\uff01\uff1f]|(?=\n)|(?=\s)|$)?")
_NEIGHBOUR = 0.5


class Clipper:
    """Makes excerpts of long messages for one question.

    Args:
        analyser: Cuts into words.
        query: The question.
        tokens: Counts the tokens of a text.

    Example:
        >>> clipper = Clipper(Analyser(), "Where is the boat?", len)
        >>> clipper("It rained. The boat lies in Oslo. We ate. We slept.", 38)
        '[...] The boat lies in Oslo. [...]'
    """

    def __init__(self, analyser: Analyser, query: str, tokens: Callable[[str], int]) -> None:
        self._analyser = analyser
        self._query = query
        self._tokens = tokens

    def __call__(self, text: str, most: int) -> str:
        """Return the sentences that matter most, in their order, of at most so many tokens; "" if not one fits."""
        pieces = [match[0].strip() for match in _PIECE.finditer(text)]
        chosen: set[int] = set()
        left = most
        for place in numpy.argsort(-self._scores(pieces), kind="stable").tolist():
            # Each piece may bring two gaps with it.
            if (cost := self._tokens(f" {pieces[place]} {GAP}") + self._tokens(f" {GAP}")) <= left:
                chosen.add(place)
                left -= cost
        return " ".join(_join(pieces, chosen)) if chosen else ""

    @cached_property
    def _wanted(self) -> list[int]:
        return [int(phrase[0]) for phrase in self._analyser.phrases(self._query)]

    def _scores(self, pieces: Sequence[str]) -> "numpy.typing.NDArray[numpy.float64]":
        """How many words of the question are in each piece and half as many beside it, rare ones for more."""
        terms, counts = self._analyser.terms(pieces)
        owner = numpy.repeat(numpy.arange(len(pieces)), counts)
        scores = numpy.zeros(len(pieces))
        for word in set(self._wanted):
            within = numpy.unique(owner[terms == word])
            scores[within] += numpy.log1p(len(pieces) / max(len(within), 1))
        return numpy.convolve(scores, [_NEIGHBOUR, 1.0, _NEIGHBOUR])[1:-1] if len(pieces) else scores


def _join(pieces: Sequence[str], chosen: set[int]) -> Iterator[str]:
    last = -1
    for place in sorted(chosen):
        if place > last + 1:
            yield GAP
        yield pieces[place]
        last = place
    if last < len(pieces) - 1:
        yield GAP
