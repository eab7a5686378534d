"""Works out the changes that statements make to a graph: added, repeated and ended facts."""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from memzoo.memories.graph.fact import Fact, Source
from memzoo.memories.graph.fact_index import FactIndex
from memzoo.memories.models.replies import Statement
from memzoo.stores import JSON

logger = logging.getLogger("memzoo")

# Only the newest facts with a word are considered.
_MOST = 50


class Revision:
    """Collects the changes that statements make to a graph, without changing the graph.

    Args:
        facts: The known facts.
        single_valued: The relations with only one object for each subject, in plain form.
    """

    def __init__(self, facts: FactIndex, single_valued: Collection[str]) -> None:
        self._facts = facts
        self._single_valued = single_valued
        self._changed: dict[str, Fact | None] = {}

    @property
    def changes(self) -> dict[str, JSON]:
        """The changed facts: a dict from key to fact, as JSON; `None` for a removed fact."""
        return {key: fact and fact.as_json() for key, fact in self._changed.items()}

    def take(self, statement: Statement, sources: Sequence[Source]) -> None:
        """Add a statement, and end the facts that contradict it.

        A "NO LONGER" statement ends known facts. If the fact to end is unknown, it is added as a superseded fact.
        """
        said = Fact(*statement[:3], statement.negated, qualifier=statement.qualifier)
        if statement.ended:
            self._supersede(self._find_ended(said, sources), sources)
            return
        known = self._find_same(said)
        if said.qualifier and known.qualifier != said.qualifier and known.sources:
            # The same fact, now with its time or place.
            self._changed[known.key] = None
            known = replace(known, qualifier=said.qualifier)
        every = tuple(sorted({*known.sources, *sources}))
        new = replace(known, superseded_by=0, superseded_at=None, sources=every)
        self._changed[new.key] = new
        self._supersede(self._find_contradicted(new), sources)

    def _find_same(self, said: Fact) -> Fact:
        """Return the known fact that a statement repeats; the statement itself if no known fact matches.

        A known fact in the same words matches. Otherwise, a statement with a qualifier repeats the current fact without
        a qualifier; a statement without a qualifier repeats the current fact with a qualifier, if there is only one.
        """
        same = [fact for fact in self._now(self._facts.between(*said.nodes), said) if fact.wording == said.wording]
        exact = [fact for fact in same if fact.key == said.key]
        bare = [fact for fact in same if said.qualifier and not fact.qualifier and not fact.superseded_by]
        told = [fact for fact in same if fact.qualifier and not said.qualifier and not fact.superseded_by]
        return next(iter(exact or bare or (told if len(told) == 1 else ())), said)

    def restore(self, fact: Fact) -> None:
        """Make a superseded fact current again, and end the facts that contradict it."""
        self._changed[fact.key] = replace(fact, superseded_by=0, superseded_at=None)
        self._supersede(self._find_contradicted(fact), fact.sources)

    def _now(self, known: Iterable[Fact], said: Fact) -> list[Fact]:
        """Return known facts with the changes so far, and all other changed facts about the statement's subject."""
        subject = said.nodes[0]
        gone = {key for key, fact in self._changed.items() if fact is None}
        changed = {key: fact for key, fact in self._changed.items() if fact and fact.nodes[0] == subject}
        return [*({fact.key: fact for fact in known if fact.key not in gone} | changed).values()]

    def _alike(self, said: Fact) -> Iterator[Fact]:
        """Yield the facts about a statement's subject whose object may be the statement's object."""
        yield from self._facts.between(*said.nodes)
        with_words = self._facts.with_words(said.nodes[0], said.object_words)
        yield from (fact for fact in with_words if (fact.nodes[0], fact.related) == (said.nodes[0], said.related))

    def _find_contradicted(self, said: Fact) -> list[Fact]:
        """Return the facts that a new fact ends. Only facts of the same subject are compared."""
        if said.negated:
            known = [*self._alike(said)]
        else:
            known = [fact for fact in self._facts.between(*said.nodes) if fact.negated]
            known += self._facts.find_related(said) if said.plain_relation in self._single_valued else ()
        return [fact for fact in self._now(known, said) if self._contradicts(said, fact)]

    def _supersede(self, facts: Iterable[Fact], sources: Sequence[Source]) -> None:
        for fact in facts:
            # The first message with the new statement after the fact's newest source.
            later = [source for source in sources if source.seq > fact.newest]
            until = min(later or sources, default=None)
            seq, day = (until.seq, until.said_at) if until else (fact.newest, None)
            self._changed[fact.key] = replace(fact, superseded_by=seq, superseded_at=day)

    def _find_ended(self, said: Fact, sources: Sequence[Source]) -> list[Fact]:
        """Return the facts that a "NO LONGER ..." statement ends.

        The first kind with a match counts: facts in the same words; more specific facts; a less specific fact; a fact
        with the same two names; a fact with a similar object. If several facts match in one of the last three kinds, no
        fact is ended, to avoid a guess. If none matches, the result is the fact of the statement itself, or no fact if
        the statement ends a denial: models write such statements for a fact that ended, and for its opposite.
        """
        facts = [fact for fact in self._now(self._alike(said), said) if not (fact.negated or fact.superseded_by)]
        if meant := [fact for fact in facts if _same(said, fact)] or [fact for fact in facts if _covers(said, fact)]:
            return meant
        near = [fact for fact in facts if _covers(fact, said)]
        near = near or [fact for fact in facts if fact.nodes[1] == said.nodes[1]] or self._in_other_words(said)
        if len(near) > 1:
            # The facts are not logged: users' words do not belong in a log file.
            logger.warning("a model ended a fact in words that fit %d facts, so all of them stay", len(near))
            return []
        if near or not said.negated:
            return near
        new = self._find_same(replace(said, negated=False))
        return [] if new.sources else [replace(new, sources=tuple(sorted({*sources})))]

    def _in_other_words(self, said: Fact) -> list[Fact]:
        """Return the subject's current facts whose object has all words of the statement's object, or the reverse."""
        words = said.object_words
        by_word = self._facts.newest_by_word(said.nodes[0], words)
        newest = {fact.key: fact for facts in by_word for fact in islice(facts, _MOST)}
        found = self._now(newest.values(), said)
        return [
            fact
            for fact in found
            if not (fact.negated or fact.superseded_by)
            and fact.nodes[0] == said.nodes[0]
            and (shared := words & fact.object_words)
            and shared in (words, fact.object_words)
        ]

    def _contradicts(self, said: Fact, other: Fact) -> bool:
        if other.superseded_by or other.key == said.key:
            return False
        if said.negated or other.negated:
            return said.negated != other.negated and (_same(said, other) or (said.negated and _covers(said, other)))
        different = said.nodes[1] != other.nodes[1] or said.qualifier != other.qualifier
        return different and said.plain_relation in self._single_valued and said.plain_relation == other.plain_relation


def _same(one: Fact, other: Fact) -> bool:
    return one.plain_relation == other.plain_relation and one.nodes[1] == other.nodes[1]


def _covers(general: Fact, special: Fact) -> bool:
    """Return whether denying `general` denies `special`, as "is handsome" and "is among the most handsome men"."""
    words = general.object_words
    return general.related == special.related and bool(words) and words <= special.object_words
