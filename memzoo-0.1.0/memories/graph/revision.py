"""Works out what statements change: what is added, what is said again, and what holds no more."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from memzoo.memories.graph.fact import Fact, Source
from memzoo.memories.graph.relations import content_words
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.names import canonical
from memzoo.stores import JSON

__all__ = ["Revision"]


class Related(Protocol):
    """Gives the facts of a subject by key that have a relation."""

    def __call__(self, subject: str, words: frozenset[str], *, negated: bool, superseded: bool) -> Mapping[str, Fact]:
        """See `FactIndex.related`."""
        ...


class Revision:
    """Changes to a graph, statement by statement. The graph itself stays as it is.

    Args:
        known: Gives the fact with a key.
        between: Gives the facts that have one name as their subject and another as their object, superseded ones too.
        related: Gives the facts of a subject by their relation, see `FactIndex.related`.
        single_valued: Relations of which a subject has one object at a time, in their plain form.
    """

    def __init__(
        self,
        known: Callable[[str], Fact | None],
        between: Callable[[str, str], Iterable[Fact]],
        related: "Related",
        single_valued: Collection[str],
    ) -> None:
        self._known = known
        self._between = between
        self._related = related
        self._single_valued = single_valued
        self._changed: dict[str, Fact] = {}

    @property
    def changes(self) -> dict[str, JSON]:
        """The facts that changed so far, by key, as JSON."""
        return {key: fact.as_json() for key, fact in self._changed.items()}

    def take(self, statement: Statement, sources: Sequence[Source]) -> None:
        """Take in what messages state."""
        said = Fact(statement.subject, statement.relation, statement.object, statement.negated)
        if statement.ended and (ended := self._ended(said)):
            self._supersede([fact for fact in ended if not fact.superseded_by], sources)
            return
        known = self._changed.get(said.key) or self._known(said.key) or said
        self._put(replace(known, superseded_by=0, sources=tuple(sorted({*known.sources, *sources}))))
        self._supersede(self._contradicted(said), sources)

    def restore(self, fact: Fact) -> None:
        """Let a superseded fact hold again, and what contradicts it no more."""
        self._put(replace(fact, superseded_by=0))
        self._supersede(self._contradicted(fact), fact.sources)

    def _now(self, known: Iterable[Fact], subject: str) -> list[Fact]:
        """Facts of a subject that are known, as they are by now, and those of it that changed."""
        changed = {key: fact for key, fact in self._changed.items() if canonical(fact.subject) == canonical(subject)}
        return [*({fact.key: fact for fact in known} | changed).values()]

    def _alike(self, said: Fact, *, negated: bool, superseded: bool) -> Iterable[Fact]:
        found = self._related(canonical(said.subject), said.related, negated=negated, superseded=superseded)
        return found.values()

    def _contradicted(self, said: Fact) -> list[Fact]:
        """The facts that hold no more where this one does; of the many that may be known, only these are looked at."""
        known = [*self._alike(said, negated=not said.negated, superseded=False)]
        if not said.negated and said.meant in self._single_valued:
            known += self._alike(said, negated=False, superseded=False)
        return [fact for fact in self._now(known, said.subject) if self._contradicts(said, fact)]

    def _put(self, fact: Fact) -> None:
        self._changed[fact.key] = fact

    def _supersede(self, facts: Iterable[Fact], sources: Sequence[Source]) -> None:
        for fact in facts:
            # The first message that said so after the fact was said last.
            later = [source.seq for source in sources if source.seq > fact.newest]
            until = min(later or [source.seq for source in sources], default=fact.newest)
            self._put(replace(fact, superseded_by=until))

    def _ended(self, said: Fact) -> list[Fact]:
        """The facts that a model means that says what holds no more: by its words, else by the two names."""
        known = [*self._between(canonical(said.subject), canonical(said.object))]
        for superseded in (False, True):
            known += self._alike(said, negated=False, superseded=superseded)
        facts = [fact for fact in self._now(known, said.subject) if not fact.negated]
        same = [fact for fact in facts if _same(said, fact)]
        alike = [fact for fact in facts if _covers(said, fact) or _covers(fact, said)]
        between = [fact for fact in facts if _object(fact) == _object(said)]
        return same or alike or (between if len(between) == 1 else [])

    def _contradicts(self, said: Fact, other: Fact) -> bool:
        if other.superseded_by or other.key == said.key:
            return False
        if said.negated or other.negated:
            return said.negated != other.negated and (_same(said, other) or (said.negated and _covers(said, other)))
        different = _object(said) != _object(other)
        return different and said.meant in self._single_valued and said.meant == other.meant


def _same(one: Fact, other: Fact) -> bool:
    return one.meant == other.meant and _object(one) == _object(other)


def _covers(general: Fact, special: Fact) -> bool:
    """Whether who denies one fact denies the other: "is handsome" and "is among the most handsome men"."""
    words = content_words(general.object)
    return general.related == special.related and bool(words) and words <= content_words(special.object)


def _object(fact: Fact) -> str:
    return fact.key.rpartition("\t")[2]
