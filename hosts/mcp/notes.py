"""What the calls wrote down, worked out from the log without a model."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from memzoo.hosts.mcp.calls import (
    AddObservations,
    CreateEntities,
    CreateRelations,
    DeleteEntities,
    DeleteObservations,
    DeleteRelations,
    Write,
)
from memzoo.memories import Fact
from memzoo.stores import JSON, Entry
from memzoo.types import Source

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

    def take(self, call: Write, entry: Entry) -> None:
        """Take in a call, and the entry of the log in which it stands."""
        for place, (kind, names) in enumerate(self._list_stated(call)):
            self._write(kind, names, entry, place)
        for key in self._list_taken_back(call):
            if note := self._find_holding(key):
                self._changed[key] = replace(note, fact=replace(note.fact, superseded_by=entry.seq))

    def _list_stated(self, call: Write) -> Iterator[tuple[Kind, Sequence[str]]]:
        """What a call writes down: the kind of each note, and the texts that make it."""
        match call:
            case CreateEntities():
                # Asked before the first is written: what stands twice in a call is one entity, with all observations.
                new = {one.name for one in call.entities if not self._find_holding(key_of("entity", one.name))}
                for one in call.entities:
                    if one.name in new:
                        yield "entity", (one.name, one.entity_type)
                        yield from (("observation", (one.name, text)) for text in one.observations)
            case CreateRelations():
                yield from (("relation", (one.start, one.end, one.relation_type)) for one in call.relations)
            case AddObservations():
                known = (one for one in call.observations if self._find_holding(key_of("entity", one.entity_name)))
                yield from (("observation", (one.entity_name, text)) for one in known for text in one.contents)
            case _:
                return

    def _list_taken_back(self, call: Write) -> Iterable[str]:
        """The keys of what a call takes back, known or not."""
        match call:
            case DeleteEntities():
                return self._about({*call.entity_names})
            case DeleteObservations():
                return [
                    key_of("observation", one.entity_name, text) for one in call.deletions for text in one.observations
                ]
            case DeleteRelations():
                return [key_of("relation", one.start, one.end, one.relation_type) for one in call.relations]
            case _:
                return ()

    def _write(self, kind: Kind, names: Sequence[str], entry: Entry, place: int) -> None:
        """Write something down, or note that it was said again."""
        # An entity is known by its name, whatever its type.
        key = key_of(kind, *(names[:1] if kind == "entity" else names))
        known, speaker = self._look_up(key), str(entry.message.get("name") or entry.message["role"])
        before, source = known.fact.sources if known else (), Source(entry.seq, speaker, entry.said_at)
        if known and known.holds:
            fact = replace(known.fact, sources=tuple(sorted({*before, source})))
            self._changed[key] = replace(known, fact=fact)
            return
        subject, text, *relation = names
        fact = Fact(subject, relation[0] if relation else _VERBS[kind], text, sources=(*before, source))
        self._changed[key] = Note(kind, fact, (entry.seq, place), entry.message["tool_call_id"])

    def _about(self, names: set[str]) -> list[str]:
        """The keys of all notes that hold and are about one of some names."""
        keys = [*self._items, *(key for key in self._changed if key not in self._items)]
        notes = ((key, self._find_holding(key)) for key in keys if self._may_be_about(key, names))
        return [key for key, note in notes if note and not names.isdisjoint(note.names)]

    def _may_be_about(self, key: str, names: set[str]) -> bool:
        """Look at the names alone, which is much quicker than to read a note."""
        fact: Any = None if key in self._changed else self._items[key]["fact"]
        return fact is None or fact["subject"] in names or fact["object"] in names

    def _find_holding(self, key: str) -> Note | None:
        """The note with a key, if there is one that was not taken back."""
        note = self._look_up(key)
        return note if note and note.holds else None

    def _look_up(self, key: str) -> Note | None:
        """The note with a key, taken back or not."""
        if key in self._changed:
            return self._changed[key]
        return Note.from_json(self._items[key]) if key in self._items else None
