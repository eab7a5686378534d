"""Chooses parts of notes to show: statements that may change, to a model; statements that fit, to a question."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from itertools import chain, groupby, islice, takewhile
from operator import itemgetter
from typing import Any

from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.models.replies import Amendment
from memzoo.memories.search.units import FoundUnit, KnownUnit, tells_advice
from memzoo.memories.strategies.entity_notes import EntityNote, EntityNotes, NoteStatement, as_searched, as_text
from memzoo.memories.text.fitting import Limit

__all__ = ["KnownNotes", "choose_notes", "in_lines", "notes_within", "units_of_note"]

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

    def resolve(self, amendments: Iterable[Amendment]) -> Iterator[tuple[str, NoteStatement | None, str]]:
        """Resolve the lines of a reply: yield the note, the statement that ends, and the text to add.

        Skips a line whose number was not shown, because its subject is unknown.
        """
        for name, text, number in amendments:
            if not number:
                yield name, None, text
            elif number in self.statements:
                key, ended = self.statements[number]
                yield key, ended, text


def choose_notes(
    notes: EntityNotes, touched: Iterable[FoundUnit], new_lines: str, history: str, tokens: int
) -> KnownNotes:
    """Choose the statements that new lines may add to or change, within a number of tokens.

    Search results for the lines come first, then the first statements of the notes on the names in these lines and in
    the lines before them.

    Args:
        notes: The notes.
        touched: The statements that the lines most probably change, the most probable first.
        new_lines: The new messages.
        history: The messages before.
        tokens: The most tokens to return.
    """
    named = [notes.key(name) for name in notes.find_names(new_lines)]
    before = [notes.key(name) for name in notes.find_names(history)]
    # Of a note, no two statements have one text.
    chosen: dict[str, set[str]] = {}
    room = Limit(tokens * 3 // 4)
    for key, one in chain(_find_statements(notes, touched), _first(notes, [*named, *before])):
        if one.text in chosen.get(key, ()):
            continue
        heading = 0 if key in chosen else count_for_prompt(notes.name(key, key)) + _TOKENS_AROUND
        if room.has(heading + count_for_prompt(one.text) + _TOKENS_AROUND):
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
    fitting = takewhile(lambda name: room.has(count_for_prompt(name) + 1), names)
    return KnownNotes(entities, [*fitting], by_number)


def units_of_note(key: str, note: EntityNote) -> list[KnownUnit]:
    """Return a unit for each statement of a note that holds; as a rule, the first says who somebody is.

    Another name for somebody has no statements of its own.
    """
    return [
        KnownUnit(
            as_searched(note.name, one),
            (key,),
            min(one.seq, default=0),
            _midnight(one),
            tells=place == 0,
            advice=tells_advice(one.text),
        )
        for place, one in enumerate(note.holding)
    ]


def notes_within(
    limit: int, found: Iterable[FoundUnit], notes: EntityNotes, tokens: Callable[[str], int]
) -> dict[str, Sequence[NoteStatement]]:
    """Choose statements of notes to show: the best fits, and always the first of a note, in its order.

    Args:
        limit: The most tokens in all.
        found: Statements, best first. One that does not fit is skipped for the next that does.
        notes: All notes.
        tokens: Counts the tokens of a text.

    Returns:
        The chosen statements of each note, by name, the best first; `as_text` writes them.
    """
    chosen: dict[str, dict[int, NoteStatement]] = {}
    order: list[tuple[str, int]] = []
    # Each note is written and counted again only when something was chosen from it.
    written: dict[str, str] = {}
    sizes: dict[str, int] = {}
    newline = tokens("\n")

    def size() -> int:
        for key in chosen.keys() - sizes.keys():
            written[key] = f"{notes.name(key, key)}: {as_text(one for _, one in sorted(chosen[key].items()))}"
            sizes[key] = tokens(written[key])
        return sum(sizes.values()) + (len(sizes) - 1) * newline

    room = Limit(limit, size)
    for key, _, unit in found:
        new = _find_missing(notes.note(key), unit, chosen.get(key, {}))
        heading = "" if key in chosen else f"{notes.name(key, key)}:\n"
        if new and room.has(tokens(" ".join([heading, *map(str, new.values())]))):
            chosen.setdefault(key, {}).update(new)
            order += [(key, at) for at in new]
            sizes.pop(key, None)
        elif room.is_full:
            break
    while order and size() > limit and tokens("\n".join(written[key] for key in chosen)) > limit:
        key, at = order.pop()
        del chosen[key][at], sizes[key]
        if not chosen[key]:
            del chosen[key]
    return {notes.name(key, key): [one for _, one in sorted(kept.items())] for key, kept in chosen.items()}


def in_lines(shown: Iterable[tuple[str, NoteStatement]]) -> str:
    """Write statements, each with the name of its note: a line for each note, in their order."""
    by_name = groupby(shown, key=itemgetter(0))
    return "\n".join(f"{name}: {as_text(one for _, one in kept)}" for name, kept in by_name)


def _find_missing(note: EntityNote, unit: KnownUnit, shown: Container[int]) -> dict[int, NoteStatement]:
    """Return the statement found and the first of its note, by their places, unless they are shown already.

    Returns nothing if the statement is gone: something else may have been learnt meanwhile.
    """
    place = note.places.get(unit.text)
    return {} if place is None else {at: note.holding[at] for at in (0, place) if at not in shown}


def _midnight(statement: NoteStatement) -> datetime | None:
    return datetime.combine(statement.said, time(tzinfo=UTC)) if statement.said else None
