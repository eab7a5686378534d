"""Facts, and the messages that stated them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memzoo.forks import cached_property
from memzoo.memories.graph.relations import content_words, plain
from memzoo.memories.models.replies import SAME_AS
from memzoo.memories.text.days import in_words
from memzoo.memories.text.names import canonical
from memzoo.stores import JSON

_NEGATABLE = frozenset("is are was were has have had can could will would should must may might does do did".split())


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A message that stated a fact, or corrected it.

    Attributes:
        seq: The message's log number.
        speaker: The message's `name`; without a name, the message's role, such as "user".
        said_at: The message's time, with a time zone; `None` if unknown.
        text: The message's text if the source belongs to a `Reason`; always "" in the sources of a `Fact`.
    """

    seq: int
    speaker: str
    said_at: datetime | None
    text: str = ""


# Without slots: a fact never changes, and its cached properties are stored in it.
@dataclass(frozen=True)
class Fact:
    """A subject, a relation and an object, with the messages that stated them.

    Attributes:
        subject: The subject in its first spelling.
        relation: The relation in its first spelling.
        object: The object in its first spelling.
        negated: True if the fact says that something is not so.
        sources: The messages that stated the fact, oldest first.
        superseded_by: The log number of the message that corrected the fact; 0 for a current fact.
        qualifier: The fact's time, place or condition; "" if not given.
        superseded_at: The time of the message that corrected the fact; `None` for a current fact, or if unknown.

    Example:
        >>> from datetime import UTC, datetime
        >>> fact = Fact("Sam", "is", "tall", negated=True, sources=(Source(3, "user", datetime.now(UTC)),))
        >>> str(fact), fact.said_in, Fact.from_json(fact.as_json()) == fact
        ('Sam is not tall', (3,), True)
    """

    subject: str
    relation: str
    object: str
    negated: bool = False
    sources: tuple[Source, ...] = ()
    superseded_by: int = 0
    qualifier: str = ""
    superseded_at: datetime | None = None

    @cached_property
    def key(self) -> str:
        """The fact's key, the same for all spellings of the names."""
        relation = f"not {self.relation}" if self.negated else self.relation
        qualifier = [self.qualifier] if canonical(self.qualifier) else []
        return "\t".join(map(canonical, (self.subject, relation, self.object, *qualifier)))

    @cached_property
    def nodes(self) -> tuple[str, str]:
        """The subject and the object in canonical form."""
        subject, _, obj, *_ = self.key.split("\t")
        return subject, obj

    @cached_property
    def said_in(self) -> tuple[int, ...]:
        """The log numbers of the messages that stated the fact, oldest first."""
        return tuple(source.seq for source in self.sources)

    @cached_property
    def newest(self) -> int:
        """The log number of the newest message that stated the fact; 0 without sources."""
        return max(self.said_in, default=0)

    @cached_property
    def plain_relation(self) -> str:
        """The relation in its most common wording (see `plain`)."""
        return plain(self.relation)

    @cached_property
    def wording(self) -> tuple[tuple[str, str], bool, str]:
        """A key without the qualifier: equal for facts that differ only in time, place or condition."""
        return self.nodes, self.negated, canonical(self.relation)

    @cached_property
    def related(self) -> frozenset[str]:
        """The content words of the relation (see `content_words`)."""
        return content_words(self.plain_relation)

    @cached_property
    def object_words(self) -> frozenset[str]:
        """The content words of the object (see `content_words`)."""
        return content_words(self.object)

    @cached_property
    def words(self) -> frozenset[str]:
        """The content words of the relation, the object and the qualifier."""
        return content_words(f"{self.relation} {self.object} {self.qualifier}")

    @cached_property
    def triple(self) -> str:
        """The fact as a line for a prompt: subject, relation and object, with "|" between them."""
        mark = "NOT " if self.negated else ""
        subject, relation, obj = (" ".join(part.split()) for part in (self.subject, self.relation, self.object))
        if relation == SAME_AS and not self.qualifier:
            return f"{mark}{subject} = {obj}"
        return mark + " | ".join([subject, relation, obj, *filter(None, [" ".join(self.qualifier.split())])])

    def __str__(self) -> str:
        """Return the fact as a plain statement."""
        return self._statement

    @cached_property
    def past(self) -> str:
        """A superseded fact as a sentence, with the day of its correction."""
        return f"{self} (until {in_words(self.superseded_at.date())})" if self.superseded_at else f"{self} (no longer)"

    @cached_property
    def _statement(self) -> str:
        verb, _, rest = self.relation.partition(" ")
        told = f"{self.object} ({self.qualifier})" if self.qualifier else self.object
        if not self.negated:
            relation = self.relation
        elif verb.casefold() in _NEGATABLE:
            relation = f"{verb} not {rest}".strip()
        else:
            return f"not true: {self.subject} {self.relation} {told}"
        return f"{self.subject} {relation} {told}"

    def as_json(self) -> JSON:
        """Return the fact as JSON values."""
        told = {
            "qualifier": self.qualifier,
            "superseded_at": _iso(self.superseded_at),
        }
        return {
            "subject": self.subject,
            "relation": self.relation,
            "object": self.object,
            "negated": self.negated,
            "sources": [{"seq": one.seq, "speaker": one.speaker, "said_at": _iso(one.said_at)} for one in self.sources],
            "superseded_by": self.superseded_by,
            **{name: value for name, value in told.items() if value},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Fact":
        """Read a fact from the values of `as_json`."""
        sources = (Source(**{**one, "said_at": _time(one["said_at"])}) for one in value["sources"])
        read = {"sources": tuple(sources), "superseded_at": _time(value.get("superseded_at"))}
        given: dict[str, Any] = {**value, **read}
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact, with the messages that stated it and the message that corrected it.

    Attributes:
        fact: The fact, current or superseded.
        quotes: The messages that stated the fact, oldest first.
        corrected_by: The message that superseded the fact; `None` for a current fact.
    """

    fact: Fact
    quotes: tuple[Source, ...]
    corrected_by: Source | None = None

    @property
    def holds(self) -> bool:
        """Return whether the fact is current."""
        return not self.fact.superseded_by


def _iso(time: datetime | None) -> str | None:
    return time.isoformat() if time else None


def _time(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts without duplicates, in the order in which they were first stated."""
    unique: dict[str, Fact] = {fact.key: fact for fact in facts}
    return sorted(unique.values(), key=lambda fact: (fact.said_in, fact.key))


def by_name(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts sorted by subject, relation and object."""
    return sorted(facts, key=lambda fact: fact.key.split("\t"))


def names_in(facts: Iterable[Fact]) -> dict[str, str]:
    """Return the names in facts: a dict from canonical form to first spelling, sorted by canonical form."""
    names: dict[str, str] = {}
    for fact in sorted(facts, key=lambda fact: fact.said_in):
        for node, name in zip(fact.nodes, (fact.subject, fact.object), strict=True):
            names.setdefault(node, name)
    return dict(sorted(names.items()))


def describe_relation(fact: Fact) -> str:
    """Return the relation of a fact, such as "likes"; for a negated fact, "NOT likes"."""
    return f"NOT {fact.relation}" if fact.negated else fact.relation
