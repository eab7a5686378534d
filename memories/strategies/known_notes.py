"""Chooses which notes to show a model that amends them: those that new lines may add to or change."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from typing import Any

from memzoo.memories.engine.prompt_limit import estimated
from memzoo.memories.models.replies import Amendment
from memzoo.memories.search.units import FoundUnit
from memzoo.memories.strategies.entity_notes import EntityNotes
from memzoo.memories.strategies.note_statement import NoteStatement, as_text
from memzoo.memories.text.language import content_stems
from memzoo.memories.text.limit import Limit

__all__ = ["KnownNotes", "in_parts", "known_notes"]

_MOST_NAMES = 50
# The number before a statement.
_TOKENS_AROUND = 3


@dataclass(frozen=True)
class KnownNotes:
    """Notes as a prompt shows them, in part: each statement with a number.

    Attributes:
        entities: For the template: name, aliases, and the statements with their numbers.
        names: More names that have notes.
        statements: For each number, the key of the note and the statement.
    """

    entities: Sequence[dict[str, Any]]
    names: Sequence[str]
    statements: dict[int, tuple[str, NoteStatement]]

    @property
    def shown(self) -> list[str]:
        """All names that are shown."""
        in_full = chain.from_iterable((entity["name"], *entity["aliases"]) for entity in self.entities)
        return [*in_full, *self.names]

    def meant(self, amendments: Iterable[Amendment]) -> Iterator[tuple[str, NoteStatement | None, str]]:
        """Resolve the lines of a reply: yield the note, the statement that ends, and the text to add.

        Skips a line whose number was not shown, because nobody knows whom it is about.
        """
        for name, text, number in amendments:
            if not number:
                yield name, None, text
            elif number in self.statements:
                key, ended = self.statements[number]
                yield key, ended, text


def known_notes(
    notes: EntityNotes, touched: Iterable[FoundUnit], new_lines: str, history: str, tokens: int
) -> KnownNotes:
    """Choose the statements that new lines may add to or change, within so many tokens.

    Search results for the lines come first, then the first statements of the notes on the names in these lines and in
    the lines before them.

    Args:
        notes: What is known.
        touched: The statements that the lines most probably change, the most probable first.
        new_lines: What was said.
        history: What was said before.
        tokens: The most tokens to return.
    """
    named = [notes.key(name) for name in notes.standing_in(new_lines)]
    before = [notes.key(name) for name in notes.standing_in(history)]
    # Of a note, no two statements have one text.
    chosen: dict[str, set[str]] = {}
    room = Limit(tokens * 3 // 4)
    for key, one in chain(_find_statements(notes, touched), _first(notes, [*named, *before])):
        if one.text in chosen.get(key, ()):
            continue
        heading = 0 if key in chosen else estimated(notes.name(key, key)) + _TOKENS_AROUND
        if room.has(heading + estimated(one.text) + _TOKENS_AROUND):
            chosen.setdefault(key, set()).add(one.text)
        elif room.is_full:
            break
    return _number(notes, chosen, [*named, *before], tokens // 4)


def _find_statements(notes: EntityNotes, touched: Iterable[FoundUnit]) -> Iterator[tuple[str, NoteStatement]]:
    for key, _, unit in touched:
        note = notes.note(key)
        if (place := note.places.get(unit.text)) is not None:
            yield key, note.holding[place]


def _first(notes: EntityNotes, keys: Iterable[str]) -> Iterator[tuple[str, NoteStatement]]:
    """Yield the first statement of each note: as a rule, it says who somebody is."""
    return ((key, one) for key in keys for one in notes.statements(key)[:1])


def _number(notes: EntityNotes, chosen: Mapping[str, Container[str]], named: Sequence[str], tokens: int) -> KnownNotes:
    entities, by_number = list[dict[str, Any]](), dict[int, tuple[str, NoteStatement]]()
    for key, kept in chosen.items():
        shown = list[dict[str, Any]]()
        for one in notes.statements(key):
            if one.text in kept:
                by_number[number := len(by_number) + 1] = key, one
                shown.append({"number": number, "text": one.text})
        entities.append({"name": notes.name(key, key), "aliases": notes.others(key), "statements": shown})
    lately = notes.lately(_MOST_NAMES + len(chosen) + len(named))
    rest = (key for key in dict.fromkeys([*named, *lately]) if key in notes.items and key not in chosen)
    room, names = Limit(tokens), (notes.name(key, key) for key in islice(rest, _MOST_NAMES))
    fitting = takewhile(lambda name: room.has(estimated(name) + 1), names)
    return KnownNotes(entities, [*fitting], by_number)


def in_parts(
    notes: EntityNotes, names: Iterable[str], new_lines: str, tokens: int
) -> Iterator[tuple[list[dict[str, Any]], dict[str, list[NoteStatement]]]]:
    """Split notes for prompts that rewrite them, so many tokens at a time, with the parts that are not shown.

    If a note is too long by itself, show the statements that share most words with the new lines.
    """
    words, left = frozenset(content_stems(new_lines)), tokens
    part, hidden = list[dict[str, Any]](), dict[str, list[NoteStatement]]()
    for entity in notes.find_entities(names):
        key = notes.key(entity["name"])
        told = notes.statements(key)
        size = estimated(entity["name"]) + sum(estimated(alias) for alias in entity["aliases"]) + _TOKENS_AROUND
        whole = size + estimated(entity["summary"])
        if part and whole > left:
            yield part, hidden
            part, hidden, left = [], {}, tokens
        shown, spare = set[str](), left - size
        for one in sorted(told, key=lambda one: (-len(words.intersection(content_stems(one.text))), -told.index(one))):
            if estimated(one.text) + 1 <= spare or whole <= left:
                spare -= estimated(one.text) + 1
                shown.add(one.text)
        part.append(entity | {"summary": as_text(one for one in told if one.text in shown)})
        hidden[key] = [one for one in told if one.text not in shown]
        left -= min(whole, left)
    if part:
        yield part, hidden
