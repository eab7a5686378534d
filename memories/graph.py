"""What a conversation says of the world, as a graph of facts."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memzoo.memories.names import canonical, mentions
from memzoo.memories.replies import Statement
from memzoo.stores import JSON

if TYPE_CHECKING:
    from networkx import MultiDiGraph

__all__ = ["SINGLE_VALUED", "Fact", "KnowledgeGraph"]

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

_NEGATABLE = ("is", "are", "was", "were", "has", "have", "can", "will", "does", "do")


@dataclass(frozen=True, slots=True)
class Fact:
    """A subject, a relation and an object, with where they were said.

    Attributes:
        subject: As it was written first.
        relation: As it was written first.
        object: As it was written first.
        negated: The fact is that this is not so.
        said_in: Log numbers of the messages that stated it, oldest first.
        superseded_by: The log number of the message that corrected it; 0 while it holds.
    """

    subject: str
    relation: str
    object: str
    negated: bool = False
    said_in: tuple[int, ...] = ()
    superseded_by: int = 0

    @property
    def key(self) -> str:
        """What makes a fact the same fact."""
        relation = f"not {self.relation}" if self.negated else self.relation
        return "\t".join(map(canonical, (self.subject, relation, self.object)))

    def __str__(self) -> str:
        """The fact as a plain statement."""
        verb, _, rest = self.relation.partition(" ")
        if not self.negated:
            relation = self.relation
        elif verb.casefold() in _NEGATABLE:
            relation = f"{verb} not {rest}".strip()
        else:
            return f"not true: {self.subject} {self.relation} {self.object}"
        return f"{self.subject} {relation} {self.object}"


class KnowledgeGraph:
    """Facts as a directed multigraph: names are nodes, each relation between two of them is an edge of its own.

    Names are matched without regard to case. What is superseded stays in the graph, as history.

    Args:
        single_valued: Relations of which a subject has one object at a time.
    """

    def __init__(self, single_valued: frozenset[str] = SINGLE_VALUED) -> None:
        self._single_valued = {canonical(relation) for relation in single_valued}
        self._lock = threading.RLock()

    @cached_property
    def graph(self) -> "MultiDiGraph[str]":
        """The networkx graph: nodes by canonical name with `name`, edges with `fact`. Read it, do not write it."""
        from networkx import MultiDiGraph

        return MultiDiGraph()

    @property
    def empty(self) -> bool:
        """Whether no fact is known."""
        with self._lock:
            return not self.graph

    def facts(self, *, history: bool = False) -> list[Fact]:
        """All facts that hold, in the order in which they were first said; with `history`, superseded ones too."""
        with self._lock:
            return _in_order(
                fact for node in self.graph for fact in self._at(node) if history or not fact.superseded_by
            )

    def about(self, name: str, *, history: bool = False) -> list[Fact]:
        """The facts in which a name is subject or object, in the order in which they were first said."""
        with self._lock:
            return _in_order(
                fact for node in self._nodes(name) for fact in self._at(node) if history or not fact.superseded_by
            )

    def named_in(self, text: str) -> list[str]:
        """The names of the graph that stand in a text, sorted."""
        with self._lock:
            return sorted(str(self.graph.nodes[node]["name"]) for node in self.graph if mentions(text, node))

    def learn(self, statement: Statement, seq: int, draft: Mapping[str, JSON]) -> dict[str, JSON]:
        """What changes when a message states something; the graph itself changes only by `take_in`.

        Args:
            statement: What is stated.
            seq: The log number of the message.
            draft: Changes that were learnt before and are not taken in yet.

        Returns:
            Facts by key, as JSON: the new or repeated one, and those that it supersedes.
        """
        said = Fact(*statement)
        with self._lock:
            known = {fact.key: fact for fact in self._at(canonical(said.subject))}
        known.update({key: _fact(value) for key, value in draft.items()})
        said = replace(known.get(said.key, said), superseded_by=0)
        said = replace(said, said_in=tuple(dict.fromkeys((*said.said_in, seq))))
        corrected = [replace(fact, superseded_by=seq) for fact in known.values() if self._contradicts(said, fact)]
        return {fact.key: asdict(fact) for fact in (*corrected, said)}

    def take_in(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Follow changed facts, after forgetting all if `reset`."""
        with self._lock:
            if reset:
                self.graph.clear()
            for key, value in changes.items():
                self._put(key, value)

    def _put(self, key: str, value: Mapping[str, Any] | None) -> None:
        subject, relation, obj = key.split("\t")
        if value is None:
            self.graph.remove_edge(subject, obj, relation)
            return
        fact = _fact(value)
        for node, name in ((subject, fact.subject), (obj, fact.object)):
            if node not in self.graph:
                self.graph.add_node(node, name=name)
        self.graph.add_edge(subject, obj, key=relation, fact=fact)

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
        words = set(node.split())
        return [other for other in self.graph if words and words <= set(other.split())]


def _fact(value: Mapping[str, Any]) -> Fact:
    fields: dict[str, Any] = {**value, "said_in": tuple(value["said_in"])}
    return Fact(**fields)


def _in_order(facts: Iterable[Fact]) -> list[Fact]:
    unique: dict[str, Fact] = {fact.key: fact for fact in facts}
    return sorted(unique.values(), key=lambda fact: (fact.said_in, fact.key))
