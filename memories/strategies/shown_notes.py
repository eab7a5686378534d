"""Chooses the statements of notes to show: to a model that amends the notes, or for a question."""

import functools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice, takewhile
from operator import itemgetter
from typing import Any

from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.models.replies import Amendment
from memzoo.memories.search.unit_index import FoundUnit, KnownUnit
from memzoo.memories.strategies.entity_notes import EntityNote, EntityNotes, NoteStatement, as_text
from memzoo.memories.text.fitting import Limit
from memzoo.memories.text.names import fold, mentions

_MOST_NAMES = 50
# The tokens of the number before a statement.
_TOKENS_AROUND = 3


@dataclass(frozen=True)
class KnownNotes:
    """The part of the notes that a prompt shows, with a number for each statement.

    Attributes:
        entities: The shown notes as the prompt template needs them: name, aliases and numbered statements.
        names: Names of further notes, shown without statements.
        statements: A dict from a statement's number to a pair: the key of its note, and the statement.
    """

    entities: Sequence[dict[str, Any]]
    names: Sequence[str]
    statements: dict[int, tuple[str, NoteStatement]]

    @property
    def shown(self) -> list[str]:
        """All names that the prompt shows."""
        in_full = chain.from_iterable((entity["name"], *entity["aliases"]) for entity in self.entities)
        return [*in_full, *self.names]

    def resolve(self, amendments: Iterable[Amendment]) -> Iterator[tuple[str, NoteStatement | None, str]]:
        """Yield the changes that the lines of a reply make to the notes.

        A change has three parts: the key or name of a note, the statement to end (`None` to end none), and the text to
        add. The lines name a statement by its number in the prompt; a line with an unknown number is skipped.
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
    """Choose the statements that new messages may extend or change.

    The search results are chosen first, and then the opening statement of each note whose name is in the new or earlier
    messages. This statement usually introduces the person or thing.

    Args:
        notes: All notes.
        touched: The results of a search for statements that the new messages may change, best result first.
        new_lines: The new messages.
        history: The earlier messages.
        tokens: The maximum number of tokens in the result.
    """
    named = [notes.key(name) for name in notes.find_names(new_lines)]
    before = [notes.key(name) for name in notes.find_names(history)]
    chosen: dict[str, set[int]] = {}
    room = Limit(tokens * 3 // 4)
    found = ((key, notes.note(key).find(unit)) for key, _, unit in touched)
    # The first statement usually introduces the person or thing.
    introduced = ((key, 0) for key in (*named, *before) if notes.note(key).holding)
    for key, place in chain(found, introduced):
        if place is None or place in chosen.get(key, ()):
            continue
        heading = 0 if key in chosen else count_for_prompt(notes.name(key, key)) + _TOKENS_AROUND
        if room.has(heading + count_for_prompt(notes.note(key).holding[place].text) + _TOKENS_AROUND):
            chosen.setdefault(key, set()).add(place)
        elif room.is_full:
            break
    return _number(notes, chosen, [*named, *before], tokens // 4)


def _number(notes: EntityNotes, chosen: Mapping[str, Iterable[int]], named: Sequence[str], tokens: int) -> KnownNotes:
    entities, by_number = list[dict[str, Any]](), dict[int, tuple[str, NoteStatement]]()
    for key, kept in chosen.items():
        shown = list[dict[str, Any]]()
        for place in sorted(kept):
            one = notes.note(key).holding[place]
            by_number[number := len(by_number) + 1] = key, one
            shown.append({"number": number, "text": one.text})
        entities.append({"name": notes.name(key, key), "aliases": notes.others(key), "statements": shown})
    lately = notes.lately(_MOST_NAMES + len(chosen) + len(named))
    rest = (key for key in dict.fromkeys([*named, *lately]) if key in notes.items and key not in chosen)
    room, names = Limit(tokens), (notes.name(key, key) for key in islice(rest, _MOST_NAMES))
    fitting = takewhile(lambda name: room.has(count_for_prompt(name) + 1), names)
    return KnownNotes(entities, [*fitting], by_number)


def notes_within(
    limit: int, groups: Iterable[Sequence[FoundUnit]], notes: EntityNotes, tokens: Callable[[str], int]
) -> dict[str, Sequence[NoteStatement]]:
    """Return the statements to show: the best results that fit, and the opening statement of each shown note.

    A statement that mentions several names may be in the note on each name. A second copy is shown only if
    room is left once all groups have been tried.

    Args:
        limit: The maximum number of tokens of all statements together.
        groups: Groups of search results, the best group first. A group is shown as a whole or skipped.
        notes: All notes.
        tokens: Counts the tokens of a text.

    Returns:
        A dict from the name of a note to its chosen statements. The note with the best statement comes first.
    """
    note_of = functools.cache(notes.note)
    chosen: dict[str, dict[int, NoteStatement]] = {}
    order: list[tuple[str, int]] = []
    ranked, texts, repeats = dict[str, None](), set[str](), list[Sequence[FoundUnit]]()
    # Only notes with a newly chosen statement are written and counted again.
    written: dict[str, str] = {}
    sizes: dict[str, int] = {}
    newline = tokens("\n")

    def lines() -> list[str]:
        for key in chosen.keys() - sizes.keys():
            written[key] = f"{notes.name(key, key)}: {as_text(one for _, one in sorted(chosen[key].items()))}"
            sizes[key] = tokens(written[key])
        return [written[key] for key in chosen]

    room = Limit(limit, lambda: (len(lines()) - 1) * newline + sum(sizes.values()))
    for group, repeated in chain(((group, False) for group in groups), ((group, True) for group in repeats)):
        found = ((key, _find_missing(note_of(key), unit, chosen.get(key, {}))) for key, _, unit in group)
        missing = {(key, at): one for key, new in found for at, one in new.items()}
        ranked |= {key: None for key, _ in missing}
        added = {at: one for at, one in missing.items() if repeated or not (one.text in texts and _names(one, at[0]))}
        if len(added) < len(missing):
            repeats.append(group)
        headings = [f"{notes.name(key, key)}:\n" for key in {key: None for key, _ in added if key not in chosen}]
        if added and room.has(tokens(" ".join([*(headings or [""]), *map(str, added.values())]))):
            for (key, at), one in added.items():
                chosen.setdefault(key, {})[at] = one
                texts.add(one.text)
                order.append((key, at))
                sizes.pop(key, None)
        elif room.is_full:
            break
    # The tokens of the joined lines can differ a little from the sum of the lines' tokens.
    while order and tokens("\n".join(lines())) > limit:
        key, at = order.pop()
        del chosen[key][at], sizes[key]
        if not chosen[key]:
            del chosen[key]
    return {notes.name(key, key): [one for _, one in sorted(chosen[key].items())] for key in ranked if key in chosen}


def in_lines(shown: Iterable[tuple[str, NoteStatement]]) -> str:
    """Return statements as lines of text; successive statements of the same note share a line."""
    by_name = groupby(shown, key=itemgetter(0))
    return "\n".join(f"{name}: {as_text(one for _, one in kept)}" for name, kept in by_name)


def _names(statement: NoteStatement, key: str) -> bool:
    return mentions(fold(statement.text), key)


def _find_missing(note: EntityNote, unit: KnownUnit, shown: Container[int]) -> dict[int, NoteStatement]:
    """Return the found statement and the first statement of the note, by position, except statements shown already.

    If the note does not have the statement any more, return `{}`.
    """
    place = note.find(unit)
    return {} if place is None else {at: note.holding[at] for at in (0, place) if at not in shown}
