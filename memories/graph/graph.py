"""Stores the facts from a conversation as a graph."""

import functools
import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memzoo.errors import OptionError
from memzoo.forks import new_rlock
from memzoo.memories.graph.fact import Fact, Source, in_order
from memzoo.memories.graph.fact_index import FactIndex
from memzoo.memories.graph.relations import SINGLE_VALUED, plain
from memzoo.memories.graph.revision import Revision
from memzoo.memories.models.replies import SAME_AS, Statement
from memzoo.memories.text.messages import Labels
from memzoo.memories.text.names import canonical, find_asked_names
from memzoo.stores import JSON
from memzoo.sync import blocking

if TYPE_CHECKING:
    from networkx import MultiDiGraph

Amend: TypeAlias = Callable[[Callable[[], Mapping[str, JSON]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Near:
    """A fact found near a name.

    Attributes:
        fact: The fact that was found.
        name: The name from which the search began.
        steps: The distance between fact and name; 1 if the name is the fact's subject or object.
    """

    fact: Fact
    name: str
    steps: int


class KnowledgeGraph:
    """Facts as a directed multigraph: names are nodes, and each relation between two names is an edge.

    Names are matched without regard to case. Superseded facts stay in the graph, as history.

    Args:
        single_valued: The relations with only one object for each subject, such as "lives in".
        amend: A function that stores the changes made by `restore` and applies these changes to the graph. By default,
            the changes are applied but not stored.
    """

    def __init__(self, single_valued: frozenset[str] = SINGLE_VALUED, amend: Amend | None = None) -> None:
        self._amend: Amend = amend or self._apply
        self._single_valued = frozenset(map(plain, single_valued))
        self._facts = FactIndex()
        self._lock = new_rlock()

    @property
    def graph(self) -> "MultiDiGraph[str]":
        """The networkx graph of names (nodes, with `name`) and facts (edges, with `fact`). Do not change it."""
        return self._facts.graph

    @property
    def empty(self) -> bool:
        """True if the graph has no facts."""
        with self._lock:
            return not self.graph

    def facts(self, *, history: bool = False) -> list[Fact]:
        """Return all current facts in the order they were first stated; with `history`, superseded facts too."""
        with self._lock:
            return in_order(_drop_superseded(self._facts.facts.values(), history=history))

    def export(self, form: str, *, history: bool = False) -> str:
        """Return the facts in a format that other programs can read.

        Args:
            form: "text", "json", "mermaid", "graphml" or "html".
            history: True to include superseded facts.

        Raises:
            OptionError: There is no such format, or the format is "html" and the graph has more than 3,000 names.

        Example:
            >>> from memzoo import ConversationKGMemory
            >>> memory = ConversationKGMemory(llm=lambda messages: "Sam | likes | tea", learn_every=1)
            >>> memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
            >>> print(memory.kg.export("text"), end="")
            Sam | likes | tea [1]
        """
        from memzoo.memories.graph.export import write_facts

        return write_facts(self.facts(history=history), form)

    def about(self, name: str, *, history: bool = False) -> list[Fact]:
        """Return the facts with a name as subject or object, in the order they were first stated."""
        with self._lock:
            facts = (fact for node in self._facts.find_meant(name) for fact in self._facts.at(node))
            return in_order(_drop_superseded(facts, history=history))

    def newest_about(self, name: str, words: Iterable[str], most: int) -> dict[str, Fact]:
        """Return the newest current facts about a name, and its newest facts with certain words, as a dict by key.

        Facts about longer names that contain the name are not included.

        Args:
            name: The subject or object of the facts.
            words: The words to look for in facts about the name.
            most: The number of newest facts to return; also, for each word, the number of newest facts with this word.
        """
        with self._lock:
            found = (itertools.islice(facts, most) for facts in self._facts.newest_by_word(canonical(name), words))
            return {fact.key: fact for fact in itertools.chain.from_iterable(found)}

    def relations(self, most: int) -> list[str]:
        """Return up to `most` relations, sorted by the number of their subjects, the highest number first.

        Relations with the same number are sorted alphabetically. Relations with a single subject are left out, and so
        are relations that contain a name ("helps Jon").
        """
        with self._lock:
            counts = [(-len(subjects), one) for one, subjects in self._facts.subjects.items() if len(subjects) > 1]
            shared = (one for _, one in sorted(counts) if one != SAME_AS)
            fitting = (one for one in shared if all(map(str.islower, self.find_names(one))))
            return [*itertools.islice(fitting, most)]

    def around(self, names: Sequence[str], depth: int = 1) -> list[Near]:
        """Return the current facts within `depth` steps from names, the nearest first.

        Args:
            names: The names to begin with. A fact that links two of them is returned twice, once for each name.
            depth: The maximum number of steps. 1 finds facts about the given names; 2 also finds facts about the other
                names in those facts.
        """
        with self._lock:
            near = [Near(fact, name, 1) for name in names for fact in self.about(name)]
            return [*near, *self._beyond(names, depth, {found.fact.key for found in near})]

    def find_names(self, text: str) -> list[str]:
        """Return the graph's names in a text, in order of appearance; "York" within "New York" does not count."""
        with self._lock:
            return [self._facts.name_of(node) for node in self._facts.names.find_names(text)]

    def find_asked(self, text: str, labels: Labels, before: Iterable[str]) -> dict[str, float]:
        """Return the names that a text asks about: a dict from canonical name to certainty, from 0 to 1.

        Args:
            text: The text, such as a question.
            labels: The names of the user (meant by "I") and of the assistant (meant by "you").
            before: The earlier messages, newest first, in which to find the meaning of "she" and "it".
        """
        with self._lock:
            return find_asked_names(text, self._facts.names, labels, before)

    def find_canonical(self, name: str) -> list[str]:
        """Return the canonical form of a known name. For an unknown name, return all names that contain its words."""
        with self._lock:
            return self._facts.find_meant(name)

    def name_of(self, node: str) -> str:
        """Return a canonical name as it was first spelt."""
        with self._lock:
            return self._facts.name_of(node)

    def holding(self, keys: Iterable[str]) -> Iterator[Fact]:
        """Yield the facts with these keys, in the order of the keys. Superseded facts are skipped."""
        with self._lock:
            facts = [self._facts.facts.get(key) for key in keys]
        return (fact for fact in facts if fact and not fact.superseded_by)

    def add_replacements(self, facts: Iterable[Fact], *, named: bool = True) -> list[Fact]:
        """Return facts, and before each fact the newer facts that corrected others about the same names.

        If The Kettles were renamed, "The band is Velvet Harbour" comes before "Ann has seen The Kettles". If `named` is
        false, only negated facts get corrections, to save room.
        """
        told = list[Fact]()
        with self._lock:
            for fact in facts:
                told += [*(self._facts.find_replacements(fact) if named or fact.negated else ()), fact]
        return told

    def names_all_of(self, text: str) -> bool:
        """Return whether a text contains names from the graph, and each of them in full.

        If the graph has "New York", the result is false for a text with "York" alone: York may be another place.
        Objects that are everyday words, such as "red", do not count as names.
        """
        with self._lock:
            named = self._facts.names.find_names(text)
            return any(map(self._facts.is_name, named)) and not self._facts.names.has_part_of_a_name(text, named)

    def changes_from(self, said: Iterable[tuple[Statement, Sequence[Source]]]) -> dict[str, JSON]:
        """Return the changes that statements would make. Use `apply` to make the changes.

        Args:
            said: The statements, each with its source messages. If two statements contradict each other, the later
                statement wins.

        Returns:
            The new, repeated and superseded facts: a dict from key to fact, as JSON.
        """
        with self._lock:
            revision = Revision(self._facts, self._single_valued)
            for statement, sources in said:
                revision.take(statement, sources)
            return revision.changes

    async def arestore(self, fact: Fact) -> None:
        """Make a superseded fact current again, and end the facts that contradict it.

        Use this method if a model ended a fact by mistake. If the graph belongs to a memory, the change is stored.
        The messages stay the same, so the same mistake may happen if the state is derived from the messages again.

        Args:
            fact: A fact from `facts(history=True)`, or from a memory's `why`.

        Raises:
            OptionError: The graph has no such fact.

        Example:
            >>> from memzoo import ConversationKGMemory
            >>> answers = iter(["Anna | lives in | Oslo", "NO LONGER Anna | lives in | Oslo"])
            >>> memory = ConversationKGMemory(llm=lambda messages: next(answers), learn_every=1)
            >>> memory.save_context({"input": "Anna lives in Oslo"}, {"output": "ok"})
            >>> memory.save_context({"input": "Tom left Oslo"}, {"output": "ok"})
            >>> memory.kg.restore(memory.why("Anna")[0].fact)
            >>> memory.load_memory_variables({"input": "Anna?"})
            {'history': 'Anna lives in Oslo.'}
        """
        await self._amend(functools.partial(self._restore, fact))

    restore = blocking(arestore)

    def apply(self, changes: Mapping[str, JSON], *, reset: bool = False) -> None:
        """Apply changed facts to the graph; with `reset`, empty the graph first."""
        with self._lock:
            if reset:
                self._facts = FactIndex()
            for key, value in changes.items():
                self._facts.put(key, value and Fact.from_json(value))

    def _restore(self, fact: Fact) -> dict[str, JSON]:
        with self._lock:
            known = self._facts.facts.get(fact.key)
            if known is None:
                raise OptionError(f"the graph has no fact {str(fact)!r}; pass one from `why` or `facts`")
            revision = Revision(self._facts, self._single_valued)
            revision.restore(known)
            return revision.changes

    async def _apply(self, change: Callable[[], Mapping[str, JSON]]) -> None:
        self.apply(change())

    def _beyond(self, names: Sequence[str], depth: int, seen: set[str]) -> Iterator[Near]:
        """Yield the facts more than one step away, each with the nearest name."""
        reached: dict[str, str] = {}
        for name in names:
            reached |= dict.fromkeys((node for node in self._facts.find_meant(name) if node not in reached), name)
        edge = list(reached)
        for steps in range(2, depth + 1):
            if not (edge := self._next(edge, reached)):
                return
            for node in edge:
                facts = [fact for fact in _drop_superseded(in_order(self._facts.at(node))) if fact.key not in seen]
                seen |= {fact.key for fact in facts}
                yield from (Near(fact, reached[node], steps) for fact in facts)

    def _next(self, edge: Sequence[str], reached: dict[str, str]) -> list[str]:
        """Return the new nodes one step beyond `edge`, and record the nearest name of each node in `reached`."""
        found: list[str] = []
        for node in edge:
            for other in itertools.chain.from_iterable(fact.nodes for fact in _drop_superseded(self._facts.at(node))):
                if other not in reached:
                    reached[other] = reached[node]
                    found.append(other)
        return found


def _drop_superseded(facts: Iterable[Fact], *, history: bool = False) -> Iterator[Fact]:
    return (fact for fact in facts if history or not fact.superseded_by)
