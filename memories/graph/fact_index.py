"""Finds facts by name and by relation, without looking at all of them."""

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from memzoo.memories.graph.fact import Fact

__all__ = ["FactIndex"]


_One: TypeAlias = tuple[int, str, Fact]


class FactIndex:
    """The facts of a graph, by canonical names."""

    def __init__(self) -> None:
        # In the order in which they were said last, however a store gives them: by a name and a word, "" for all; and
        # by a word that is part of a name, after None.
        self._holding: defaultdict[str | None, dict[str, list[_One]]] = defaultdict(dict)
        self._related: defaultdict[tuple[str, frozenset[str], bool, bool], dict[str, Fact]] = defaultdict(dict)

    def add(self, fact: Fact) -> None:
        """Know a fact."""
        self._related[fact.nodes[0], fact.related, fact.negated, bool(fact.superseded_by)][fact.key] = fact
        if not fact.superseded_by:
            for node, word in _places(fact):
                insort(self._holding[node].setdefault(word, []), (fact.newest, fact.key, fact))

    def remove(self, fact: Fact) -> None:
        """Know a fact no more."""
        del self._related[fact.nodes[0], fact.related, fact.negated, bool(fact.superseded_by)][fact.key]
        if not fact.superseded_by:
            for node, word in _places(fact):
                facts = self._holding[node][word]
                del facts[bisect_left(facts, (fact.newest, fact.key))]
                if not facts:
                    del self._holding[node][word]

    def clear(self) -> None:
        """Know none."""
        self._holding.clear()
        self._related.clear()

    def newest(self, node: str) -> Iterator[Fact]:
        """The facts about a name that hold, those that were said last first."""
        return _newest_first(self._holding.get(node, {}).get("", ()))

    def newest_by_word(self, node: str, words: Iterable[str]) -> list[Iterator[Fact]]:
        """The facts about a name that hold, all of them and by some words, each with those said last first."""
        known = self._holding.get(node, {})
        return [_newest_first(known[word]) for word in known.keys() & {"", *words}]

    def newest_with(self, parts: frozenset[str]) -> Iterator[Fact]:
        """The facts about names with all of some words that hold, those that were said last first."""
        known = self._holding.get(None, {})
        rarest = min((known.get(part, ()) for part in parts), key=len, default=())
        return (fact for fact in _newest_first(rarest) if any(parts <= end for end in fact.ends))

    def related(self, subject: str, words: frozenset[str], *, negated: bool, superseded: bool) -> dict[str, Fact]:
        """The facts of a subject by key whose relation has these content words, see `Fact.related`."""
        return self._related.get((subject, words, negated, superseded), {})


def _places(fact: Fact) -> set[tuple[str | None, str]]:
    """Where a fact is found."""
    return {*itertools.product(fact.nodes, ("", *fact.words)), *((None, part) for end in fact.ends for part in end)}


def _newest_first(facts: Sequence[_One]) -> Iterator[Fact]:
    return (fact for _, _, fact in reversed(facts))
