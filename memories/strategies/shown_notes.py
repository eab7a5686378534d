"""Shows notes in part: of each, the statements that fit a question."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time
from typing import Any

from memzoo.memories.search.units import FoundUnit, KnownUnit
from memzoo.memories.strategies.note_statement import NoteStatement, as_text, statements_in
from memzoo.memories.text.limit import Limit
from memzoo.stores import JSON

__all__ = ["notes_within", "units_of_note"]


def units_of_note(key: str, item: JSON) -> list[KnownUnit]:
    """What a note states, a unit for each statement that holds; the first says as a rule who somebody is.

    Another name for somebody has no statements of its own.
    """
    return [
        KnownUnit(f"{item['name']}: {one.text}", (key,), min(one.seq, default=0), _midnight(one), tells=place == 0)
        for place, one in enumerate(_holding(item))
    ]


def notes_within(
    limit: int, found: Iterable[FoundUnit], items: Mapping[str, Mapping[str, Any]], tokens: Callable[[str], int]
) -> dict[str, str]:
    """Choose what is shown of notes: the statements that fit best, and always the first of a note, in its order.

    Args:
        limit: Tokens that all of it may have.
        found: Statements, best first. One that does not fit is passed over for the next that does.
        items: The notes by key.
        tokens: Counts the tokens of a text.

    Returns:
        Notes by name, the best first.
    """
    chosen: dict[str, dict[int, NoteStatement]] = {}
    order: list[tuple[str, int]] = []

    def size() -> int:
        return tokens("\n".join(f"{name}: {note}" for name, note in _written(chosen, items).items()))

    room = Limit(limit, size)
    for key, _, unit in found:
        new = _missing(_holding(items.get(key, {})), unit, chosen.get(key, {}))
        heading = "" if key in chosen else f"{items.get(key, {}).get('name')}:\n"
        if new and room.has(tokens(heading + "".join(f" {one}" for one in new.values()))):
            chosen.setdefault(key, {}).update(new)
            order += [(key, at) for at in new]
        elif room.is_full:
            break
    while order and size() > limit:
        key, at = order.pop()
        del chosen[key][at]
    return _written(chosen, items)


def _missing(statements: Sequence[NoteStatement], unit: KnownUnit, shown: Container[int]) -> dict[int, NoteStatement]:
    """The statement that was found, and the first of its note, by their places, as far as they are not shown yet.

    Nothing if it is not there any more: something else may have been learnt meanwhile.
    """
    place = next((at for at, one in enumerate(statements) if unit.text.endswith(one.text)), None)
    return {} if place is None else {at: statements[at] for at in (0, place) if at not in shown}


def _written(
    chosen: Mapping[str, Mapping[int, NoteStatement]], items: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    return {items[key]["name"]: as_text(one for _, one in sorted(kept.items())) for key, kept in chosen.items() if kept}


def _holding(item: Mapping[str, Any]) -> list[NoteStatement]:
    return [one for one in statements_in(item) if one.holds]


def _midnight(statement: NoteStatement) -> datetime | None:
    return datetime.combine(statement.said, time(tzinfo=UTC)) if statement.said else None
