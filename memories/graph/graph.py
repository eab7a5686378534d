"""Keeps what was said about the world as a graph of facts."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memzoo.memories.graph.fact import Fact, Source, in_order
from memzoo.memories.graph.name_index import NameIndex
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.names import canonical
from memzoo.stores import JSON

if TYPE_CHECKING:
    from networkx import MultiDiGraph

__all__ = ["SINGLE_VALUED", "KnowledgeGraph", "Near"]

SINGLE_VALUED = frozenset(
    f"{verb} {rest}"
    for verb, rests in {
        "lives": ("in", "at"),
        "works": ("at", "for", "as"),
        "is": ("married to", "located in", "aged", "called", "named", "due on", "scheduled for", "employed by"),
        "was": ("born in", "born on", "founded in"),
        "has": ("age", "name", "favorite color", "favourite colour", "a favorite color", "a favourite colour"),
        "costs": ("",),
        "opens": ("on", "at"),
        "starts": ("on", "at"),
        "takes": ("place on", "place in"),
    }.items()
    for rest in rests
)
"""Relations of which a subject has one object at a time: a new one supersedes the old."""


@dataclass(frozen=True, slots=True)
class Near:
    """A fact that was found around a name.

    Attributes:
        fact: The fact.
        name: The name.
        steps: How far from the name; 1 if the name is its subject or object.
    """

    fact: Fact
    name: str
    steps: int


class KnowledgeGraph:
    """Facts as a directed multigraph: names are nodes, each relation between two of them is an edge of its own.

    Names are matched without regard to case. What is superseded stays in the graph, as history.

    Args:
        single_valued: Relations of which a subject has one object at a time.
    """

    def __init__(self, single_valued: frozenset[str] = SINGLE_VALUED) -> None:
        self._single_valued = {canonical(relation) for relation in single_valued}
        self._index = NameIndex()
        self._lock = threading.RLock()

    @cached_property
    def graph(self) -> "MultiDiGraph[str]":
        """The networkx graph: nodes by canonical name with `name`, edges with `fact`. Read it, do not write it."""
        from networkx import MultiDiGraph

        return MultiDiGraph()

    @property
    def empty(self) -> bool:
        """Tell whether no fact is known."""
        with self._lock:
            return not self.graph

    def facts(self, *, history: bool = False) -> list[Fact]:
        """All facts that hold, in the order in which they were first said; with `history`, superseded ones too."""
        with self._lock:
            return in_order(_holding((fact for node in self.graph for fact in self._at(node)), history=history))

    def about(self, name: str, *, history: bool = False) -> list[Fact]:
        """The facts in which a name is subject or object, in the order in which they were first said."""
        with self._lock:
            return in_order(_holding((fact for node in self._nodes(name) for fact in self._at(node)), history=history))

    def around(self, names: Sequence[str], depth: int = 1) -> list[Near]:
        """The facts that hold within so many steps around names, the nearest first.

        Args:
            names: What is known about a name comes in the order in which it was first said. A fact about two of the
                names comes with each of them; one that is further away comes once, with the nearest.
            depth: 1 for the facts about the names alone, 2 for those about their neighbours too, and so on.
        """
        with self._lock:
            near = [Near(fact, name, 1) for name in names for fact in self.about(name)]
            return near if depth == 1 else [*near, *self._beyond(names, depth, {found.fact.key for found in near})]

    def named_in(self, text: str) -> list[str]:
        """The names of the graph that stand in a text, in their order there; of "New York", not "York" too."""
        with self._lock:
            return [str(self.graph.nodes[node]["name"]) for node in self._index.named_in(text)]

    def names_all_of(self, text: str) -> bool:
        """Tell whether no capitalised word of a text is part of a name that does not stand there in full."""
        with self._lock:
            return not self._index.has_part_of_a_name(text, self._index.named_in(text))

    def changes_from(self, statement: Statement, source: Source, draft: Mapping[str, JSON]) -> dict[str, JSON]:
        """Work out what changes when a message states something; the graph itself changes only by `apply`.

        Args:
            statement: What is stated.
            source: The message.
            draft: Changes that were learnt before and are not applied yet.

        Returns:
            Facts by key, as JSON: the new or repeated one, and those that it supersedes.
        """
        said = Fact(*statement)
        with self._lock:
            known = {fact.key: fact for fact in self._at(canonical(said.subject))}
        known.update({key: Fact.from_json(value) for key, value in draft.items()})
        said = replace(known.get(said.key, said), superseded_by=0)
        said = replace(said, sources=tuple(sorted({*said.sources, source})))
        corrected = [
            replace(fact, superseded_by=source.seq) for fact in known.values() if self._contradicts(said, fact)
        ]
        return {fact.key: fact.as_json() for fact in (*corrected, said)}

    def apply(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow changed facts, after forgetting all if `reset`."""
        with self._lock:
            if reset:
                self.graph.clear()
                self._index.clear()
            for key, value in changes.items():
                self._put(key, value)

    def _put(self, key: str, value: Mapping[str, Any] | None) -> None:
        subject, relation, obj = key.split("\t")
        if value is None:
            self.graph.remove_edge(subject, obj, relation)
            self._drop_unused({subject, obj})
            return
        fact = Fact.from_json(value)
        for node, name in ((subject, fact.subject), (obj, fact.object)):
            if node not in self.graph:
                self.graph.add_node(node, name=name)
                self._index.add(node)
        self.graph.add_edge(subject, obj, key=relation, fact=fact)

    def _drop_unused(self, nodes: Iterable[str]) -> None:
        for node in nodes:
            if not self.graph.degree(node):
                self.graph.remove_node(node)
                self._index.remove(node)

    def _beyond(self, names: Sequence[str], depth: int, seen: set[str]) -> Iterator[Near]:
        """The facts more than one step away, each with the name from which it is reached first."""
        reached: dict[str, str] = {}
        for name in names:
            reached |= dict.fromkeys((node for node in self._nodes(name) if node not in reached), name)
        edge = list(reached)
        for steps in range(2, depth + 1):
            edge = self._next(edge, reached)
            for node in edge:
                facts = [fact for fact in _holding(in_order(self._at(node))) if fact.key not in seen]
                seen |= {fact.key for fact in facts}
                yield from (Near(fact, reached[node], steps) for fact in facts)

    def _next(self, edge: Sequence[str], reached: dict[str, str]) -> list[str]:
        """The nodes one step further, which it notes as reached from the names of those before them."""
        found: list[str] = []
        for node in edge:
            for other in self._neighbours(node):
                if other not in reached:
                    reached[other] = reached[node]
                    found.append(other)
        return found

    def _neighbours(self, node: str) -> Iterator[str]:
        yield from (end for start, end, data in self.graph.out_edges(node, data=True) if not data["fact"].superseded_by)
        yield from (start for start, _, data in self.graph.in_edges(node, data=True) if not data["fact"].superseded_by)

    def _contradicts(self, said: Fact, other: Fact) -> bool:
        if canonical(other.subject) != canonical(said.subject) or other.superseded_by:
            return False
        same_relation = canonical(other.relation) == canonical(said.relation)
        if said.negated or other.negated:
            return same_relation and said.negated != other.negated and canonical(said.object) == canonical(other.object)
        return same_relation and said.key != other.key and canonical(said.relation) in self._single_valued

    def _at(self, node: str) -> Iterator[Fact]:
        if node in self.graph:
            edges = (*self.graph.out_edges(node, data=True), *self.graph.in_edges(node, data=True))
            yield from (data["fact"] for _, _, data in edges)

    def _nodes(self, name: str) -> list[str]:
        node = canonical(name)
        if node in self.graph:
            return [node]
        return self._index.with_words(node)


def _holding(facts: Iterable[Fact], *, history: bool = False) -> Iterator[Fact]:
    return (fact for fact in facts if history or not fact.superseded_by)
