"""What the calls wrote down, worked out from the log without a model."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from memzoo.memories.graph.fact import Fact, Source
from memzoo.memories.hosts.mcp.calls import (
    Addition,
    AddObservations,
    Call,
    CreateEntities,
    CreateRelations,
    DeleteEntities,
    DeleteObservations,
    DeleteRelations,
    Entity,
)
from memzoo.stores import JSON, Entry

__all__ = ["Kind", "Note", "Replay", "key_of"]

Kind: TypeAlias = Literal["entity", "observation", "relation"]

_VERBS: Mapping[Kind, str] = {"entity": "is a", "observation": "observation"}


@dataclass(frozen=True, slots=True)
class Note:
    """An entity, an observation about one, or a relation between two.

    Attributes:
        kind: Which of the three.
        fact: It as a fact: what was said by which messages, and which one took it back. An entity is a fact about its
            type.
        order: When it came: the number of the message in the log, and its place in the call.
        call: The id of that call.
    """

    kind: Kind
    fact: Fact
    order: tuple[int, int]
    call: str

    @property
    def holds(self) -> bool:
        """Tell whether it was not taken back."""
        return not self.fact.superseded_by

    @property
    def names(self) -> tuple[str, ...]:
        """The entities that it is about."""
        return (self.fact.subject, self.fact.object) if self.kind == "relation" else (self.fact.subject,)

    def as_json(self) -> JSON:
        """The note as JSON values."""
        return {"kind": self.kind, "order": list(self.order), "call": self.call, "fact": self.fact.as_json()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Note":
        """The note that `as_json` gave the values of."""
        first, second = value["order"]
        return cls(value["kind"], Fact.from_json(value["fact"]), (first, second), value["call"])


def key_of(kind: Kind, *names: str) -> str:
    """The key of a note among the items of the state: names are told apart to the letter, and may be of any length."""
    text = json.dumps(names).encode()
    return f"{kind}:{hashlib.blake2b(text, digest_size=16).hexdigest()}"


class Replay:
    """Takes in calls, one after the other, on top of notes that there are.

    Args:
        items: The notes so far by key, as JSON. They stay as they are.
    """

    def __init__(self, items: Mapping[str, JSON]) -> None:
        self._items = items
        self._changed: dict[str, Note] = {}

    @property
    def changes(self) -> dict[str, JSON]:
        """The notes that changed, by key, as JSON."""
        return {key: note.as_json() for key, note in self._changed.items()}

    def take(self, call: Call, entry: Entry) -> None:
        """Take in a call.

        Args:
            call: The call.
            entry: Where it stands in the log.
        """
        _Writer(self, call, entry).write()

    def holding(self, key: str) -> Note | None:
        """The note with a key, if there is one that was not taken back."""
        note = self.known(key)
        return note if note and note.holds else None

    def known(self, key: str) -> Note | None:
        """The note with a key, taken back or not."""
        if key in self._changed:
            return self._changed[key]
        return Note.from_json(self._items[key]) if key in self._items else None

    def put(self, key: str, note: Note) -> None:
        """Change a note."""
        self._changed[key] = note

    def about(self, names: set[str]) -> list[str]:
        """The keys of all notes that hold and are about one of some names."""
        keys = [*self._items, *(key for key in self._changed if key not in self._items)]
        notes = ((key, self.holding(key)) for key in keys if self._may_be_about(key, names))
        return [key for key, note in notes if note and not names.isdisjoint(note.names)]

    def _may_be_about(self, key: str, names: set[str]) -> bool:
        """Look at the names alone, which is much quicker than to read a note."""
        fact: Any = None if key in self._changed else self._items[key]["fact"]
        return fact is None or fact["subject"] in names or fact["object"] in names


@dataclass(slots=True)
class _Writer:
    """Writes what one call says."""

    replay: Replay
    call: Call
    entry: Entry
    written: int = 0

    def write(self) -> None:
        """Write all of it."""
        match self.call.arguments:
            case CreateEntities(entities=entities):
                self.create(entities)
            case CreateRelations(relations=relations):
                for relation in relations:
                    self.note("relation", relation.start, relation.end, relation.relation_type)
            case AddObservations(observations=additions):
                self.add(additions)
            case DeleteEntities(entity_names=names):
                self.take_back(self.replay.about({*names}))
            case DeleteObservations(deletions=deletions):
                keys = (key_of("observation", one.entity_name, text) for one in deletions for text in one.observations)
                self.take_back(keys)
            case DeleteRelations(relations=relations):
                self.take_back(key_of("relation", one.start, one.end, one.relation_type) for one in relations)

    def create(self, entities: Sequence[Entity]) -> None:
        """Write down entities, but for those that there are."""
        for one in entities:
            if self.replay.holding(key_of("entity", one.name)) is None:
                self.note("entity", one.name, one.entity_type)
                self.observe(one.name, one.observations)

    def add(self, additions: Sequence[Addition]) -> None:
        """Write down observations about entities that there are."""
        for one in additions:
            if self.replay.holding(key_of("entity", one.entity_name)):
                self.observe(one.entity_name, one.contents)

    def note(self, kind: Kind, subject: str, text: str, relation: str = "") -> None:
        """Write something down, or note that it was said again."""
        names = {"entity": (subject,), "observation": (subject, text), "relation": (subject, text, relation)}[kind]
        key = key_of(kind, *names)
        known, sources = self.replay.known(key), self._source
        if known and known.holds:
            fact = replace(known.fact, sources=tuple(sorted({*known.fact.sources, *sources})))
            self.replay.put(key, replace(known, fact=fact))
            return
        before = known.fact.sources if known else ()
        fact = Fact(subject, relation or _VERBS[kind], text, sources=(*before, *sources))
        self.replay.put(key, Note(kind, fact, (self.entry.seq, self.written), self.call.id))
        self.written += 1

    def observe(self, name: str, texts: Sequence[str]) -> None:
        """Write down observations about an entity."""
        for text in texts:
            self.note("observation", name, text)

    def take_back(self, keys: Iterable[str]) -> None:
        """Take notes back, so far as they hold."""
        for key in keys:
            if note := self.replay.holding(key):
                self.replay.put(key, replace(note, fact=replace(note.fact, superseded_by=self.entry.seq)))

    @property
    def _source(self) -> tuple[Source, ...]:
        speaker = str(self.entry.message.get("name") or self.entry.message["role"])
        return (Source(self.entry.seq, speaker, self.entry.created_at),)
