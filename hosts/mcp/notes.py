"""The notes of a graph: entities, observations and relations."""

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

Kind: TypeAlias = Literal["entity", "observation", "relation"]

_VERBS: Mapping[Kind, str] = {"entity": "is a", "observation": "observation"}


@dataclass(frozen=True, slots=True)
class Note:
    """An entity, an observation about an entity, or a relation between two entities.

    Attributes:
        kind: "entity", "observation" or "relation".
        fact: The note as a fact, with the messages that wrote or deleted the note. An entity's fact states its type.
        order: A pair: the log number of the call that wrote the note, and the note's position in the call.
        call: The id of the call that wrote the note.
    """

    kind: Kind
    fact: Fact
    order: tuple[int, int]
    call: str

    @property
    def holds(self) -> bool:
        """True unless the note was deleted."""
        return not self.fact.superseded_by

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the note's entities."""
        return (self.fact.subject, self.fact.object) if self.kind == "relation" else (self.fact.subject,)

    def as_json(self) -> JSON:
        """Return the note as JSON values."""
        return {"kind": self.kind, "order": list(self.order), "call": self.call, "fact": self.fact.as_json()}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Note":
        """Return a note from the JSON values of `as_json`."""
        first, second = value["order"]
        return cls(value["kind"], Fact.from_json(value["fact"]), (first, second), value["call"])


def key_of(kind: Kind, *names: str) -> str:
    """Return the key of a note in the state, a hash of the kind and the names."""
    text = json.dumps(names).encode()
    return f"{kind}:{hashlib.blake2b(text, digest_size=16).hexdigest()}"


class Replay:
    """Applies tool calls, one after the other, to the notes of a graph.

    Args:
        items: The notes before the first call, a dict from key to note (as JSON). The dict itself is not changed.
    """

    def __init__(self, items: Mapping[str, JSON]) -> None:
        self._items = items
        self._changed: dict[str, Note] = {}

    @property
    def changes(self) -> dict[str, JSON]:
        """The changed notes, as a dict from key to note (as JSON)."""
        return {key: note.as_json() for key, note in self._changed.items()}

    def take(self, call: Write, entry: Entry) -> None:
        """Apply a tool call. `entry` is the log entry with the call."""
        for place, (kind, names) in enumerate(self._list_stated(call)):
            self._write(kind, names, entry, place)
        for key in self._list_taken_back(call):
            if note := self._find_holding(key):
                self._changed[key] = replace(note, fact=replace(note.fact, superseded_by=entry.seq))

    def _list_stated(self, call: Write) -> Iterator[tuple[Kind, Sequence[str]]]:
        """Yield the kind and the texts of each note that a call writes."""
        match call:
            case CreateEntities():
                # Checked before writing: if a call creates an entity twice, the observations of both are written.
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
        """Return the keys of the notes that a call deletes, including keys of notes that do not exist."""
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
        """Write a note, or add a source to the existing note."""
        # An entity is identified by its name alone, without its type.
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
        """Return the keys of all current notes about at least one of the names."""
        keys = [*self._items, *(key for key in self._changed if key not in self._items)]
        notes = ((key, self._find_holding(key)) for key in keys if self._may_be_about(key, names))
        return [key for key, note in notes if note and not names.isdisjoint(note.names)]

    def _may_be_about(self, key: str, names: set[str]) -> bool:
        """Return whether a note may be about some names; this check is much faster than parsing the note."""
        fact: Any = None if key in self._changed else self._items[key]["fact"]
        return fact is None or fact["subject"] in names or fact["object"] in names

    def _find_holding(self, key: str) -> Note | None:
        """Return the current note with a key; `None` if it does not exist or was deleted."""
        note = self._look_up(key)
        return note if note and note.holds else None

    def _look_up(self, key: str) -> Note | None:
        """Return the current or deleted note with a key; `None` if it does not exist."""
        if key in self._changed:
            return self._changed[key]
        return Note.from_json(self._items[key]) if key in self._items else None
