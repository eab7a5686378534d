"""A knowledge graph with LangChain's interface."""

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, NamedTuple

from memzoo.errors import OptionError
from memzoo.hosts.langchain.state import put, read_items
from memzoo.memories import Fact, KnowledgeGraph
from memzoo.strategy import BaseMemory


class KnowledgeTriple(NamedTuple):
    """A fact in LangChain's form."""

    subject: str
    predicate: str
    object_: str


class EntityGraph:
    """The facts of a memory, with the methods of LangChain's `NetworkxEntityGraph`.

    Facts that a program adds have no source message. Later messages can correct them like any other fact.
    """

    def __init__(self, plain: BaseMemory) -> None:
        self._plain = plain

    def get_triples(self) -> list[tuple[str, str, str]]:
        """Return all current facts as tuples of subject, object and relation, in this order, as LangChain does."""
        return [(fact.subject, fact.object, fact.relation) for fact in self._graph().facts()]

    def get_entity_knowledge(self, entity: str, depth: int = 1) -> list[str]:
        """Return the facts up to `depth` steps away from a name, as short statements, the nearest first."""
        return [str(near.fact) for near in self._graph().around([entity], depth)]

    def add_triple(self, triple: Sequence[str]) -> None:
        """Add a fact: a `KnowledgeTriple`, or any three texts in the order of subject, relation and object."""
        fact = _fact(triple)
        put(self._plain, lambda _: {fact.key: fact.as_json()})

    def take_in(self, triples: Iterable[Sequence[str]]) -> None:
        """Replace all facts of the memory with the given facts, and mark all messages as learnt."""
        new = {fact.key: fact.as_json() for fact in map(_fact, triples)}
        put(self._plain, lambda items: {**dict.fromkeys(items), **new}, stands_for_all=True)

    def delete_triple(self, triple: Sequence[str]) -> None:
        """Delete a fact."""
        key = _fact(triple).key
        put(self._plain, lambda items: {key: None} if key in items else {})

    def clear(self) -> None:
        """Delete all facts."""
        put(self._plain, dict.fromkeys)

    clear_edges = clear

    def write_to_gml(self, path: str | PathLike[str]) -> None:
        """Write all facts to a GML file, which LangChain's `NetworkxEntityGraph.from_gml` can read."""
        from networkx import DiGraph, write_gml

        graph: DiGraph[str] = DiGraph()
        for subject, obj, relation in self.get_triples():
            graph.add_edge(subject, obj, relation=relation)
        write_gml(graph, path)

    def get_number_of_nodes(self) -> int:
        """Return the number of names with facts."""
        return len({name for fact in self._graph().facts() for name in fact.key.split("\t")[::2]})

    def has_node(self, node: str) -> bool:
        """Return whether there is a fact about a name."""
        return bool(self._graph().about(node))

    def has_edge(self, source_node: str, destination_node: str) -> bool:
        """Return whether there is a fact with the first name as subject and the second as object."""
        return bool(self._between(source_node, destination_node))

    def remove_edge(self, source_node: str, destination_node: str) -> None:
        """Delete all facts with the first name as subject and the second as object."""
        gone = {fact.key for fact in self._between(source_node, destination_node)}
        put(self._plain, lambda items: {key: None for key in gone if key in items})

    def remove_node(self, node: str) -> None:
        """Delete all facts about a name."""
        gone = {fact.key for fact in self._graph().about(node)}
        put(self._plain, lambda items: {key: None for key in gone if key in items})

    def get_neighbors(self, node: str) -> list[str]:
        """Return the names that share a fact with the given name."""
        names = [name for fact in self._graph().about(node) for name in (fact.subject, fact.object)]
        return [name for name in dict.fromkeys(names) if name.casefold() != node.casefold()]

    def _between(self, source: str, destination: str) -> list[Fact]:
        ends = (source.casefold(), destination.casefold())
        return [one for one in self._graph().about(source) if (one.subject.casefold(), one.object.casefold()) == ends]

    def _graph(self) -> KnowledgeGraph:
        graph = KnowledgeGraph()
        graph.apply(read_items(self._plain), reset=True)
        return graph


def _fact(triple: Sequence[str]) -> Fact:
    subject, relation, obj = triple
    return Fact(subject, relation, obj)


def triples_in(graph: Any) -> list[KnowledgeTriple]:
    """Return all facts in a LangChain or networkx graph, or in a list of triples.

    Raises:
        OptionError: The value is neither a graph nor a list of triples.
    """
    if hasattr(graph, "get_triples"):
        return [KnowledgeTriple(subject, relation, obj) for subject, obj, relation in graph.get_triples()]
    if hasattr(graph, "edges"):
        return [KnowledgeTriple(str(one), str(data["relation"]), str(two)) for one, two, data in graph.edges(data=True)]
    try:
        return [KnowledgeTriple(*triple) for triple in graph]
    except TypeError as error:
        raise OptionError(f"kg must be a NetworkxEntityGraph or a list of triples, not {graph!r}") from error
