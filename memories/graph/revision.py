"""Works out what statements change: what is added, what is said again, and what holds no more."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from memzoo.memories.graph.fact import Fact, Source
from memzoo.memories.graph.fact_index import FactIndex
from memzoo.memories.graph.relations import content_words
from memzoo.memories.models.replies import Statement
from memzoo.stores import JSON

__all__ = ["Revision"]

logger = logging.getLogger("memzoo")


class Revision:
    """Collects the changes that statements make to a graph. The graph itself stays as it is.

    Args:
        facts: What is known so far.
        single_valued: Relations of which a subject has one object at a time, in their plain form.
    """

    def __init__(self, facts: FactIndex, single_valued: Collection[str]) -> None:
        self._facts = facts
        self._single_valued = single_valued
        self._changed: dict[str, Fact] = {}

    @property
    def changes(self) -> dict[str, JSON]:
        """The facts that changed so far, by key, as JSON."""
        return {key: fact.as_json() for key, fact in self._changed.items()}

    def take(self, statement: Statement, sources: Sequence[Source]) -> None:
        """Add a statement, and end the facts that it contradicts; a "NO LONGER ..." only ends what it means."""
        said = Fact(statement.subject, statement.relation, statement.object, statement.negated)
        if statement.ended:
            self._supersede(self._ended(said), sources)
            return
        known = self._changed.get(said.key) or self._facts.known(said.key) or said
        self._put(replace(known, superseded_by=0, sources=tuple(sorted({*known.sources, *sources}))))
        self._supersede(self._contradicted(said), sources)

    def restore(self, fact: Fact) -> None:
        """Let a superseded fact hold again, and what contradicts it no more."""
        self._put(replace(fact, superseded_by=0))
        self._supersede(self._contradicted(fact), fact.sources)

    def _now(self, known: Iterable[Fact], subject: str) -> list[Fact]:
        """Known facts of a subject in their newest form, with all of it that changed so far."""
        changed = {key: fact for key, fact in self._changed.items() if fact.nodes[0] == subject}
        return [*({fact.key: fact for fact in known} | changed).values()]

    def _alike(self, said: Fact, *, negated: bool, superseded: bool) -> Iterable[Fact]:
        return self._facts.related(said.nodes[0], said.related, negated=negated, superseded=superseded)

    def _contradicted(self, said: Fact) -> list[Fact]:
        """The facts that hold no more where this one does; of the many that may be known, only these are looked at."""
        known = [*self._alike(said, negated=not said.negated, superseded=False)]
        if not said.negated and said.meant in self._single_valued:
            known += self._alike(said, negated=False, superseded=False)
        return [fact for fact in self._now(known, said.nodes[0]) if self._contradicts(said, fact)]

    def _put(self, fact: Fact) -> None:
        self._changed[fact.key] = fact

    def _supersede(self, facts: Iterable[Fact], sources: Sequence[Source]) -> None:
        for fact in facts:
            # The first message that said so after the fact was said last.
            later = [source.seq for source in sources if source.seq > fact.newest]
            until = min(later or [source.seq for source in sources], default=fact.newest)
            self._put(replace(fact, superseded_by=until))

    def _ended(self, said: Fact) -> list[Fact]:
        """The facts that a model means by "NO LONGER ...".

        They are those in its words, and those that say more than its words; else the one that says less, else the one
        between the two names. Where there are several such ones, it is none: what holds is not ended by guessing.
        """
        known = [*self._facts.between(*said.nodes), *self._alike(said, negated=False, superseded=False)]
        now = self._now(known, said.nodes[0])
        facts = [fact for fact in now if not (fact.negated or fact.superseded_by)]
        if meant := [fact for fact in facts if _same(said, fact)] or [fact for fact in facts if _covers(said, fact)]:
            return meant
        near = [fact for fact in facts if _covers(fact, said)]
        near = near or [fact for fact in facts if fact.nodes[1] == said.nodes[1]]
        if len(near) > 1:
            # Without their words: a log is no place for what users say.
            logger.warning("a model ended a fact in other words, and may mean any of %d: none was ended", len(near))
        return near if len(near) == 1 else []

    def _contradicts(self, said: Fact, other: Fact) -> bool:
        if other.superseded_by or other.key == said.key:
            return False
        if said.negated or other.negated:
            return said.negated != other.negated and (_same(said, other) or (said.negated and _covers(said, other)))
        different = said.nodes[1] != other.nodes[1]
        return different and said.meant in self._single_valued and said.meant == other.meant


def _same(one: Fact, other: Fact) -> bool:
    return one.meant == other.meant and one.nodes[1] == other.nodes[1]


def _covers(general: Fact, special: Fact) -> bool:
    """Whether who denies one fact denies the other: "is handsome" and "is among the most handsome men"."""
    words = content_words(general.object)
    return general.related == special.related and bool(words) and words <= content_words(special.object)
