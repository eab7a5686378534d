"""Finds facts by key, by name and by relation, without a scan."""

import itertools
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from memzoo.forks import cached_property
from memzoo.memories.graph.fact import Fact
from memzoo.memories.text.names import NameIndex, canonical

if TYPE_CHECKING:
    from networkx import MultiDiGraph

K = TypeVar("K")
_One: TypeAlias = tuple[int, str, Fact]


class FactIndex:
    """An index of the facts of a graph. A node is a name in its canonical form.

    Attributes:
        names: The nodes, as an index to find names in texts.
        subjects: For each relation, in plain form, a dict from subject to the number of current facts.
        facts: A dict from key to fact, including superseded facts.
    """

    def __init__(self) -> None:
        self.names = NameIndex()
        self.facts: dict[str, Fact] = {}
        self.subjects: defaultdict[str, Counter[str]] = defaultdict(Counter)
        # Current facts by a node and a word ("" for all facts), sorted by the newest source, then by key.
        self._holding: defaultdict[str, dict[str, list[_One]]] = defaultdict(dict)
        # Current facts that are not negated, by subject and words of the relation.
        self._related: defaultdict[tuple[str, frozenset[str]], dict[str, Fact]] = defaultdict(dict)
        # The facts about a node that are not true, and the nodes as an index.
        self._untrue: defaultdict[str, dict[str, Fact]] = defaultdict(dict)
        self._untrue_names = NameIndex()
        # By a fact's key until such a node changes, and by node until a fact changes: views ask for the same ones again
        # and again.
        self._named: dict[str, Sequence[str]] = {}
        self._replaced: dict[str, Sequence[Fact]] = {}

    @cached_property
    def graph(self) -> "MultiDiGraph[str]":
        """The facts as a networkx graph; see `KnowledgeGraph.graph`."""
        from networkx import MultiDiGraph

        return MultiDiGraph()

    def put(self, key: str, fact: Fact | None) -> None:
        """Store a fact under a key, in place of an earlier fact. `None` removes the earlier fact."""
        (subject, obj), edge = _split_key(key)
        self._replaced.clear()
        self._named.pop(key, None)
        if known := self.facts.pop(key, None):
            self._drop(known)
        elif not fact:
            return
        if fact:
            self.facts[key] = fact
            self._add(fact)
            for node, name in ((subject, fact.subject), (obj, fact.object)):
                if node not in self.graph:
                    self.graph.add_node(node, name=name)
                    self.names.add(node)
            self.graph.add_edge(subject, obj, key=edge, fact=fact)
            return
        self.graph.remove_edge(subject, obj, edge)
        for node in {subject, obj}:
            if not self.graph.degree(node):
                self.graph.remove_node(node)
                self.names.remove(node)

    def between(self, subject: str, obj: str) -> list[Fact]:
        """Return the facts with this subject and this object, including superseded facts."""
        return [data["fact"] for data in (self.graph.get_edge_data(subject, obj) or {}).values()]

    def at(self, node: str) -> Iterator[Fact]:
        """Yield all facts about a node, including superseded facts: first those with the node as subject."""
        if node in self.graph:
            edges = (*self.graph.out_edges(node, data=True), *self.graph.in_edges(node, data=True))
            yield from (data["fact"] for _, _, data in edges)

    def name_of(self, node: str) -> str:
        """Return the first spelling of a node."""
        return str(self.graph.nodes[node]["name"])

    def is_name(self, node: str) -> bool:
        """Return whether a node is a name, not just a common word used as an object ("red", "handsome")."""
        if node not in self.graph:
            return False
        name = self.name_of(node)
        return name != name.lower() or name == name.upper() or self.graph.out_degree(node) > 0

    def find_meant(self, name: str) -> list[str]:
        """Return the node of a known name. For an unknown name, return all nodes that contain its words."""
        node = canonical(name)
        return [node] if self.is_name(node) else self.names.with_words(node)

    def newest_by_word(self, node: str, words: Iterable[str]) -> list[Iterator[Fact]]:
        """Return iterators over the current facts about a node. Each iterator yields newer facts first.

        One iterator yields all these facts. For each of `words` that occurs in them, another iterator yields only the
        facts with this word.
        """
        known = self._holding.get(node, {})
        return [(fact for _, _, fact in reversed(known[word])) for word in known.keys() & {"", *words}]

    def with_words(self, node: str, words: Iterable[str]) -> Iterator[Fact]:
        """Yield the current facts about a node that contain one of `words`.

        Facts with the first word come first, then those with the second, and so on. A fact with two of the words comes
        twice.
        """
        known = self._holding.get(node, {})
        return (fact for word in words for _, _, fact in known.get(word, ()))

    def find_related(self, fact: Fact) -> Iterable[Fact]:
        """Return the current facts with the subject of `fact` and the same words in the relation.

        Negated facts are left out.
        """
        return self._related.get(_related_key(fact), {}).values()

    def find_replacements(self, fact: Fact) -> Sequence[Fact]:
        """Return the facts that corrected earlier facts about the names in `fact`."""
        if not self._untrue:
            return []
        nodes = self._named.get(fact.key)
        if nodes is None:
            named = self._untrue_names.find_all_names(str(fact))
            nodes = self._named[fact.key] = sorted({*named, *self._untrue.keys() & fact.nodes})
        for node in nodes:
            if node not in self._replaced:
                self._replaced[node] = [*self._replace(node)]
        return [new for node in nodes for new in self._replaced[node]]

    def _replace(self, node: str) -> Iterator[Fact]:
        """Yield, for each untrue fact about a name, the newest fact that has the same relation but another name."""
        untrue = self._untrue[node]
        beside = {other for fact in untrue.values() for other in fact.nodes}
        after = ((node, other) for other in self.graph.succ[node] if other in beside)
        before = ((other, node) for other in self.graph.pred[node] if other in beside)
        for old in (fact for pair in (*after, *before) for fact in self.between(*pair) if fact.key in untrue):
            other = next((one for one in old.nodes if one != node), node)
            new = (one for one in self.with_words(other, old.related) if one.related == old.related)
            told = (one for one in new if node not in one.nodes and one.newest >= old.superseded_by)
            yield from sorted((one for one in told if not one.negated), key=lambda one: (one.newest, one.key))[-1:]

    def _add(self, fact: Fact) -> None:
        for node in _untrue_nodes(fact):
            if node not in self._untrue:
                self._untrue_names.add(node)
                self._named.clear()
            self._untrue[node][fact.key] = fact
        if not fact.superseded_by:
            self.subjects[fact.plain_relation][fact.nodes[0]] += 1
            if not fact.negated:
                self._related[_related_key(fact)][fact.key] = fact
            for node, word in _list_keys(fact):
                insort(self._holding[node].setdefault(word, []), (fact.newest, fact.key, fact))

    def _drop(self, fact: Fact) -> None:
        for node in _untrue_nodes(fact):
            _take_out(self._untrue, node, fact.key)
            if node not in self._untrue:
                self._untrue_names.remove(node)
                self._named.clear()
        if not fact.superseded_by:
            subjects = self.subjects[fact.plain_relation]
            subjects[fact.nodes[0]] -= 1
            if not subjects[fact.nodes[0]]:
                del subjects[fact.nodes[0]]
            if not fact.negated:
                _take_out(self._related, _related_key(fact), fact.key)
            for node, word in _list_keys(fact):
                facts = self._holding[node][word]
                del facts[bisect_left(facts, (fact.newest, fact.key))]
                if not facts:
                    del self._holding[node][word]


def _split_key(key: str) -> tuple[tuple[str, str], str]:
    """Split a fact's key into subject and object, and the rest of the key."""
    subject, relation, obj, *qualifier = key.split("\t")
    return (subject, obj), "\t".join([relation, *qualifier])


def _untrue_nodes(fact: Fact) -> set[str]:
    """Return the nodes of a fact that is not true; an empty set for a true fact."""
    return set(fact.nodes) if fact.superseded_by or fact.negated else set()


def _related_key(fact: Fact) -> tuple[str, frozenset[str]]:
    return fact.nodes[0], fact.related


def _take_out(facts: dict[K, dict[str, Fact]], place: K, key: str) -> None:
    del facts[place][key]
    if not facts[place]:
        del facts[place]


def _list_keys(fact: Fact) -> set[tuple[str, str]]:
    """Return the keys of the index's lists that contain a fact: pairs of a node and a word."""
    return {*itertools.product(fact.nodes, ("", *fact.words))}
