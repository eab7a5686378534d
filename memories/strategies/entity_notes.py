"""The notes of the entity memory: statements about each person or thing, found under any of its names."""

import functools
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import chain, takewhile
from operator import is_, methodcaller
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from memzoo.forks import cached_property, new_rlock
from memzoo.memories.search.kinds import tells_advice, tells_rule
from memzoo.memories.search.unit_index import KnownUnit
from memzoo.memories.strategies.extracting import Valued, least_worth
from memzoo.memories.text.days import in_words
from memzoo.memories.text.language import content_stems, join_sentences
from memzoo.memories.text.messages import Labels, text_of
from memzoo.memories.text.names import NameIndex, canonical, find_asked_names
from memzoo.stores import JSON, Entry

_T = TypeVar("_T")
_U = TypeVar("_U")
_SEQS = methodcaller("get", "seq", ())


class NoteStatement(NamedTuple):
    """A statement about a person or thing.

    Attributes:
        text: The statement, usually one sentence.
        said: The day of the message with the statement; `None` if unknown.
        seq: The log numbers of the messages with the statement, oldest first; empty if unknown.
        until: The day of the correction; `None` for a current statement, or if unknown.
        ended_by: The log number of the message that corrected the statement; 0 for a current statement.

    Example:
        >>> one = NoteStatement("Flies on 12 May.", date(2026, 3, 1), (3,), date(2026, 4, 2), ended_by=9)
        >>> one.holds, str(one), NoteStatement.from_json(one.as_json()) == one
        (False, 'Flies on 12 May. (until 2 April 2026)', True)
    """

    text: str
    said: date | None = None
    seq: tuple[int, ...] = ()
    until: date | None = None
    ended_by: int = 0

    @property
    def holds(self) -> bool:
        """True if the statement is current: no message has corrected it."""
        return not self.ended_by

    def __str__(self) -> str:
        """Return the statement as text; a corrected statement with the day of the correction."""
        if self.holds:
            return self.text
        return f"{self.text} ({f'until {in_words(self.until)}' if self.until else 'no longer'})"

    def as_json(self) -> JSON:
        """Return the statement as JSON values, without unknown or empty members."""
        days = {"said": self.said and self.said.isoformat(), "until": self.until and self.until.isoformat()}
        known = {"text": self.text, **days, "seq": list(self.seq), "ended_by": self.ended_by}
        return {name: value for name, value in known.items() if value}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "NoteStatement":
        """Return the statement from the values of `as_json`."""
        said, until = (date.fromisoformat(value[day]) if value.get(day) else None for day in ("said", "until"))
        return cls(value.get("text", ""), said, tuple(value.get("seq", ())), until, value.get("ended_by", 0))


class EntityNote(NamedTuple):
    """A note read from the state.

    Attributes:
        name: The name of the person or thing.
        values: All statements as JSON values, oldest first, including corrected statements.
        statements: The same statements, as objects.
        holding: The current statements.
        places: A dict from the text of each current statement to its position in `holding`.
    """

    name: str
    values: Sequence[JSON] = ()
    statements: tuple[NoteStatement, ...] = ()
    holding: tuple[NoteStatement, ...] = ()
    places: Mapping[str, int] = MappingProxyType({})

    @classmethod
    def of(cls, item: Mapping[str, Any], before: "EntityNote") -> "EntityNote":
        """Return the note in an item of the state; an empty note for `{}`.

        Args:
            item: The item.
            before: The earlier version of the note, whose unchanged statements are reused.
        """
        values = item.get("statements", ())
        statements = _convert(values, NoteStatement.from_json, before.values, before.statements)
        holding = tuple([one for one in statements if not one.ended_by])
        places = {one.text: place for place, one in enumerate(holding)}
        return cls(item.get("name", ""), values, statements, holding, places)

    def find(self, unit: KnownUnit) -> int | None:
        """Return the position in `holding` of a statement that a search found; `None` if it is no longer current."""
        return self.places.get(unit.text.removeprefix(f"{self.name}: "))


_NO_NOTE = EntityNote("")


def statements_in(item: Mapping[str, Any]) -> tuple[NoteStatement, ...]:
    """Return all statements in an item of the state, both current and corrected, oldest first."""
    return tuple(map(NoteStatement.from_json, item.get("statements", ())))


def as_text(statements: Iterable[NoteStatement]) -> str:
    """Return several statements as one text."""
    return join_sentences(map(str, statements))


class EntityIndex:
    """Finds known names in a text, and other names of the same person or thing.

    In the example, there is a note on Sam, and "Tiger" is another name for Sam.

    Example:
        >>> index = EntityIndex({"sam": {"name": "Sam", "statements": []}, "tiger": {"name": "Tiger", "of": "sam"}})
        >>> index.find_keys("Is Tiger here?"), index.others("sam")
        (['tiger'], {'tiger'})
    """

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._names = NameIndex()
        self._of: dict[str, str] = {}
        self._others: defaultdict[str, set[str]] = defaultdict(set)
        # For each note, the negated number of its newest message, and the key: the newest is the least.
        self._newest: dict[str, tuple[int, str]] = {}
        self._read: dict[str, tuple[Mapping[str, Any], EntityNote]] = {}
        self._units: dict[str, tuple[EntityNote, tuple[KnownUnit, ...]]] = {}
        self._lock = new_rlock()
        self.apply(items or {}, reset=False)

    def apply(self, changes: Mapping[str, Any], *, reset: bool) -> None:
        """Apply changed items (`None` for a removed item); with `reset`, drop all items first."""
        with self._lock:
            if reset:
                self._names = NameIndex()
                for known in (self._of, self._others, self._newest, self._read, self._units):
                    known.clear()
            for key, item in changes.items():
                self._put(key, item)

    def find_keys(self, text: str) -> list[str]:
        """Return the keys of the known names in a text, sorted."""
        with self._lock:
            return self._names.find_all_names(text)

    def find_asked(self, text: str, labels: Labels, before: Iterable[str]) -> dict[str, float]:
        """Return the names that a text asks about: a dict from key to certainty, from 0 to 1.

        Args:
            text: The text, such as a question.
            labels: The names of the user (meant by "I") and of the assistant (meant by "you").
            before: The earlier messages, newest first, in which to find the meaning of "she" and "it".
        """
        with self._lock:
            return find_asked_names(text, self._names, labels, before)

    def with_words(self, key: str) -> list[str]:
        """Return the keys that contain all words of the given key, such as "new york" for "york"."""
        with self._lock:
            return self._names.with_words(key)

    def others(self, key: str) -> set[str]:
        """Return the keys of all other names of the person or thing that a note is about, given the note's key."""
        with self._lock:
            found, edge = set[str](), {key}
            while edge:
                edge = {other for one in edge for other in self._others.get(one, ())} - found
                found |= edge
            return found - {key}

    def other_names(self, keys: AbstractSet[str]) -> AbstractSet[str]:
        """Return those of `keys` that stand for another name of a note, not for the note itself."""
        with self._lock:
            return self._of.keys() & keys

    def lately(self, most: int) -> list[str]:
        """Return the keys of at most `most` notes: those with statements from the newest messages, newest first."""
        with self._lock:
            return [key for _, key in heapq.nsmallest(most, self._newest.values())]

    def note(self, key: str, item: Mapping[str, Any]) -> EntityNote:
        """Return an item of the state as a note; notes are cached until the item changes."""
        known = self._read.get(key)
        if known is None or known[0] is not item:
            known = self._read[key] = item, EntityNote.of(item, known[1] if known else _NO_NOTE)
        return known[1]

    def units(self, key: str, item: Mapping[str, Any]) -> list[KnownUnit]:
        """Return a search unit for each current statement of a note; the first usually introduces the person or thing.

        An item that is another name for a note has no statements.
        """
        note, (before, units) = self.note(key, item), self._units.get(key, (_NO_NOTE, ()))
        known = before.holding if before.name == note.name else ()
        units = _convert(note.holding, functools.partial(_unit_of, key, note.name), known, units)
        self._units[key] = note, units
        return [*(first._replace(tells=True) for first in units[:1]), *units[1:]]

    def _put(self, key: str, item: Mapping[str, Any] | None) -> None:
        self._newest.pop(key, None)
        if (before := self._of.pop(key, None)) is not None:
            self._others[before].discard(key)
        if item is None:
            self._read.pop(key, None)
            self._units.pop(key, None)
            self._names.remove(key)
            return
        self._names.add(key)
        if "of" in item:
            self._of[key] = item["of"]
            self._others[item["of"]].add(key)
            return
        newest = max(chain.from_iterable(map(_SEQS, item.get("statements", ()))), default=0)
        self._newest[key] = -newest, key


# Without slots: the index is a cached property.
@dataclass(frozen=True)
class EntityNotes:
    """The notes in a state, found by any of their names.

    An item of the state is a note, `{"name": ..., "statements": [...]}` (see `NoteStatement.as_json`), or another name
    for a note, `{"name": ..., "of": ...}` with the note's key.

    Attributes:
        items: A dict from key to item of the state. A key is a name in canonical form.
        index: An index of the items; by default, a new one is made. The index of an earlier or later state may be used
            too: names in the index that have no item are skipped.
    """

    items: Mapping[str, Mapping[str, Any]]
    index: EntityIndex | None = None

    def key(self, name: str) -> str:
        """Return the key of an entity, given one of its names. For an unknown name, return its canonical form."""
        key, seen = canonical(name), list[str]()
        while (item := self.items.get(key)) and "of" in item:
            # An imported state may have a circle of other names, such as A for B and B for A: all are one entity.
            if key in seen:
                return min(seen[seen.index(key) :])
            seen.append(key)
            key = item["of"]
        return key

    def name(self, key: str, otherwise: str) -> str:
        """Return the name on an entity's note; without a note, return `otherwise`."""
        return str(self.items.get(key, {}).get("name", otherwise))

    def note(self, key: str) -> EntityNote:
        """Return the note on an entity; an empty note if there is no note."""
        item = self.items.get(key, {})
        return self.index.note(key, item) if self.index and item else EntityNote.of(item, _NO_NOTE)

    def statements(self, key: str, *, history: bool = False) -> Sequence[NoteStatement]:
        """Return the current statements about an entity, oldest first; with `history`, corrected statements too."""
        note = self.note(key)
        return note.statements if history else note.holding

    def summary(self, key: str) -> str:
        """Return the note on an entity as one text; "" without a note."""
        return as_text(self.statements(key))

    def others(self, key: str) -> list[str]:
        """Return the other names for an entity, sorted."""
        others = sorted(self._keep_known(self._index.others(key)))
        return [self.items[other]["name"] for other in others if self.key(other) == key]

    def find(self, names: Iterable[str]) -> dict[str, str]:
        """Return the notes on names: a dict from name to the note as a single text; "" for a name without a note.

        An unknown name finds the notes on all longer names that contain it.
        """
        notes: dict[str, str] = {}
        for name in names:
            keys = [self.key(name)]
            if keys[0] not in self.items:
                keys = sorted(map(self.key, self._keep_known(self._index.with_words(keys[0])))) or keys
            notes |= {self.name(key, name): self.summary(key) for key in keys}
        return notes

    def find_names(self, text: str) -> Iterator[str]:
        """Yield the known names that occur in a text."""
        return (self.items[key]["name"] for key in self._keep_known(self._index.find_keys(text)))

    def find_asked(self, text: str, labels: Labels, before: Iterable[str] = ()) -> dict[str, float]:
        """Return the notes that a text asks about: a dict from key to certainty; see `EntityIndex.find_asked`."""
        asked = self._index.find_asked(text, labels, before)
        for other in self._index.other_names(asked.keys()):
            key, surely = self.key(other), asked.pop(other)
            asked[key] = max(surely, asked.get(key, surely))
        return asked

    def lately(self, most: int) -> list[str]:
        """Return the keys of at most `most` notes: those with statements from the newest messages, newest first."""
        return self._keep_known(self._index.lately(most))

    @property
    def notes(self) -> dict[str, str]:
        """A dict from name to note, sorted by name. Each note is a single text."""
        return {item["name"]: self.summary(key) for key, item in sorted(self.items.items()) if "of" not in item}

    @property
    def aliases(self) -> dict[str, str]:
        """The other names of entities, sorted: a dict from another name to the name on the note."""
        others = sorted((key, item["name"]) for key, item in self.items.items() if "of" in item)
        return {alias: self.name(self.key(key), "") for key, alias in others}

    def amend_notes(
        self,
        amendments: Iterable[tuple[str, NoteStatement | None, str]],
        same: Mapping[str, str],
        entries: Sequence[Entry],
    ) -> dict[str, Mapping[str, Any]]:
        """Return the items that amendments change. Nothing is deleted: corrected statements stay as history.

        Args:
            amendments: Triples: the key or a name of a note, the statement to end (or `None`), and the statement to add
                (or "").
            same: Other names for entities: a dict from another name to the name to keep.
            entries: The messages that the amendments come from.
        """
        told: dict[str, dict[str, NoteStatement]] = {}
        names = dict[str, str]()
        for name, ended, text in amendments:
            key = self.key(name)
            names[key], known = self.name(key, name), told.get(key) or _by_text(self.note(key).statements)
            told[key] = known
            new = make_statement(text or (ended.text if ended else ""), entries)
            if ended and known.get(ended.text) == ended and ended.text != text:
                known[ended.text] = ended._replace(until=new.said, ended_by=max(new.seq, default=0))
            if again := known.get(text):  # A repeated statement is current again.
                known[text] = NoteStatement(text, again.said, tuple(sorted({*again.seq, *new.seq})))
            elif text:
                known[text] = new
        changed: dict[str, Mapping[str, Any]] = {
            key: _item(names[key], known, self.note(key)) for key, known in told.items()
        }
        for alias, name in same.items():
            now = EntityNotes({**self.items, **changed})
            one, other = now.key(name), now.key(alias)
            if one != other:
                both, others = (_by_text(now.statements(key, history=True)) for key in (one, other))
                changed[one] = _item(now.name(one, name), both | {**others, **both}, _NO_NOTE)
                changed[other] = {"name": now.name(other, alias), "of": one}
        return changed

    def _keep_known(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if key in self.items]

    @cached_property
    def _index(self) -> EntityIndex:
        return self.index or EntityIndex(self.items)


def _unit_of(key: str, name: str, one: NoteStatement) -> KnownUnit:
    said_at = datetime.combine(one.said, time(tzinfo=UTC)) if one.said else None
    advice, rule = tells_advice(one.text), tells_rule(one.text)
    return KnownUnit(f"{name}: {one.text}", (key,), min(one.seq, default=0), said_at, advice=advice, rule=rule)


def make_statement(text: str, entries: Sequence[Entry]) -> NoteStatement:
    """Return a statement with its source: the message that shares the most words with the statement."""
    words = frozenset(content_stems(text))
    found = max(entries, key=lambda entry: len(words.intersection(content_stems(text_of(entry.message)))), default=None)
    if not found:
        return NoteStatement(text)
    return NoteStatement(text, found.said_at.date() if found.said_at else None, (found.seq,))


def _by_text(statements: Iterable[NoteStatement]) -> dict[str, NoteStatement]:
    return {one.text: one for one in statements}


def _item(name: str, statements: Mapping[str, NoteStatement], before: EntityNote) -> dict[str, Any]:
    """Return a note as an item of the state; `before` is the note before the change."""
    now = [*statements.values()]
    return {"name": name, "statements": [*_convert(now, NoteStatement.as_json, before.statements, before.values)]}


def _convert(
    given: Sequence[_T], convert: Callable[[_T], _U], before: Sequence[_T], known: Sequence[_U]
) -> tuple[_U, ...]:
    """Return `given` converted; `known` has the results for `before`, mostly the same objects in the same order."""
    same = len([*takewhile(bool, map(is_, before, given))])
    results = dict(zip(map(id, before[same:]), known[same:], strict=False))
    return (*known[:same], *[results.get(id(one)) or convert(one) for one in given[same:]])


def notes_within_state(items: Mapping[str, Any], changes: Mapping[str, JSON], tokens: int) -> dict[str, JSON]:
    """Return `changes`, with further changes added so that all notes together have at most `tokens` tokens.

    Corrected statements are dropped first, then the oldest statements. The first statement of each note stays
    longest. A note without statements is deleted, with its other names.
    """
    after = {key: item for key, item in {**items, **changes}.items() if item is not None}
    kept = (
        Valued((one.holds, place == 0, max(one.seq, default=0)), key, one.text)
        for key, item in after.items()
        for place, one in enumerate(statements_in(item))
    )
    new = dict(changes)
    for key, texts in least_worth(kept, tokens).items():
        left = [one.as_json() for one in statements_in(after[key]) if one.text not in texts]
        new[key] = {"name": after[key]["name"], "statements": left} if left else None
    gone = {key for key, item in new.items() if item is None}
    return new | {key: None for key, item in after.items() if item.get("of") in gone}
