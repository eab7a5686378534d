"""Finds facts by name and by relation, without looking at all of them."""

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator

from memzoo.memories.graph.fact import Fact

__all__ = ["FactIndex"]


class FactIndex:
    """The facts of a graph, by canonical names."""

    def __init__(self) -> None:
        # By a name and a word, "" for all; in the order in which they were said last, however a store gives them.
        self._holding: defaultdict[tuple[str, str], list[tuple[int, str, Fact]]] = defaultdict(list)
        self._related: defaultdict[tuple[str, frozenset[str], bool, bool], dict[str, Fact]] = defaultdict(dict)

    def add(self, fact: Fact) -> None:
        """Know a fact."""
        subject, _, obj = fact.key.split("\t")
        self._related[subject, fact.related, fact.negated, bool(fact.superseded_by)][fact.key] = fact
        if not fact.superseded_by:
            for place in itertools.product({subject, obj}, ("", *fact.words)):
                insort(self._holding[place], (fact.newest, fact.key, fact))

    def remove(self, fact: Fact) -> None:
        """Know a fact no more."""
        subject, _, obj = fact.key.split("\t")
        del self._related[subject, fact.related, fact.negated, bool(fact.superseded_by)][fact.key]
        if not fact.superseded_by:
            for place in itertools.product({subject, obj}, ("", *fact.words)):
                facts = self._holding[place]
                del facts[bisect_left(facts, (fact.newest, fact.key))]
                if not facts:
                    del self._holding[place]

    def clear(self) -> None:
        """Know none."""
        self._holding.clear()
        self._related.clear()

    def newest(self, node: str, word: str = "") -> Iterator[Fact]:
        """The facts about a name that hold, or those of them with a word, those that were said last first."""
        return (fact for _, _, fact in reversed(self._holding.get((node, word), ())))

    def related(self, subject: str, words: frozenset[str], *, negated: bool, superseded: bool) -> dict[str, Fact]:
        """The facts of a subject by key whose relation has these content words, see `Fact.related`."""
        return self._related.get((subject, words, negated, superseded), {})
