"""Shows notes in part: of each, the statements that fit a question."""

from collections.abc import Callable, Container, Iterable, Sequence
from datetime import UTC, datetime, time
from itertools import groupby
from operator import itemgetter

from memzoo.memories.search.units import FoundUnit, KnownUnit, tells_advice
from memzoo.memories.strategies.entity_notes import EntityNotes
from memzoo.memories.strategies.note_statement import EntityNote, NoteStatement, as_searched, as_text
from memzoo.memories.text.limit import Limit
from memzoo.stores import JSON

__all__ = ["in_lines", "notes_within", "units_of_note"]


def units_of_note(key: str, item: JSON) -> list[KnownUnit]:
    """Return a unit for each statement of a note; as a rule, the first that holds says who somebody is.

    Another name for somebody has no statements of its own.
    """
    note = EntityNote.of(item)
    holding = [
        KnownUnit(
            as_searched(item["name"], one),
            (key,),
            min(one.seq, default=0),
            _midnight(one),
            tells=place == 0,
            advice=tells_advice(one.text),
        )
        for place, one in enumerate(note.holding)
    ]
    corrected = [KnownUnit(one.text, (key,), corrected_by=one.ended_by) for one in note.statements if not one.holds]
    return [*holding, *corrected]


def notes_within(
    limit: int, found: Iterable[FoundUnit], notes: EntityNotes, tokens: Callable[[str], int]
) -> dict[str, Sequence[NoteStatement]]:
    """Choose what to show of notes: the statements that fit best, and always the first of a note, in its order.

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
    # Each note is written again only when something was chosen from it.
    written: dict[str, str] = {}
    names: dict[str, str] = {}

    def size() -> int:
        for key in chosen.keys() - written.keys():
            written[key] = as_text(one for _, one in sorted(chosen[key].items()))
        return tokens("\n".join([f"{names[key]}: {written[key]}" for key, kept in chosen.items() if kept]))

    room = Limit(limit, size)
    for key, _, unit in found:
        new = _missing(notes.note(key), unit, chosen.get(key, {}))
        names[key] = names.get(key) or notes.name(key, key)
        heading = "" if key in chosen else f"{names[key]}:\n"
        if new and room.has(tokens(" ".join([heading, *map(str, new.values())]))):
            chosen.setdefault(key, {}).update(new)
            order += [(key, at) for at in new]
            written.pop(key, None)
        elif room.is_full:
            break
    while order and size() > limit:
        key, at = order.pop()
        del chosen[key][at]
        del written[key]
    return {names[key]: [one for _, one in sorted(kept.items())] for key, kept in chosen.items() if kept}


def in_lines(shown: Iterable[tuple[str, NoteStatement]]) -> str:
    """Write statements, each with the name of its note: a line for each note, in their order."""
    by_name = groupby(shown, key=itemgetter(0))
    return "\n".join(f"{name}: {as_text(one for _, one in kept)}" for name, kept in by_name)


def _missing(note: EntityNote, unit: KnownUnit, shown: Container[int]) -> dict[int, NoteStatement]:
    """Return the statement found and the first of its note, by their places, unless they are shown already.

    Returns nothing if the statement is gone: something else may have been learnt meanwhile.
    """
    place = note.places.get(unit.text)
    return {} if place is None else {at: note.holding[at] for at in (0, place) if at not in shown}


def _midnight(statement: NoteStatement) -> datetime | None:
    return datetime.combine(statement.said, time(tzinfo=UTC)) if statement.said else None
