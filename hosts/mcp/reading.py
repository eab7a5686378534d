"""Builds the tools' results. A graph has two lists: entities with their observations, and relations."""

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.hosts.mcp.notes import Note

# The separator of joined texts.
_BETWEEN = "\0"
_FEW = 64


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool: texts for the model, and the content of these texts as JSON values."""

    texts: list[str]
    values: Mapping[str, Any]


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Return the current notes, in the order in which they were written."""
    return sorted((note for note in notes if note.holds), key=lambda note: note.order)


def graph_of(notes: Sequence[Note]) -> dict[str, Any]:
    """Return current notes as the result of the tool `read_graph`."""
    entities: dict[str, dict[str, Any]] = {
        note.fact.subject: {"name": note.fact.subject, "entityType": note.fact.object, "observations": list[str]()}
        for note in notes
        if note.kind == "entity"
    }
    for note in notes:
        if note.kind == "observation":
            entities[note.fact.subject]["observations"].append(note.fact.object)
    return {
        "entities": [*entities.values()],
        "relations": [_relation(note) for note in notes if note.kind == "relation"],
    }


class Known:
    """The current notes, grouped by entity for searches."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self.notes = in_order(notes)
        self._texts: dict[str, str] = {}
        self._places: dict[str, list[int]] = {}
        self._entities: set[str] = set()
        for place, note in enumerate(self.notes):
            for name in note.names:
                self._places.setdefault(name, []).append(place)
            if note.kind != "relation":
                name = note.fact.subject
                self._texts[name] = f"{self._texts.get(name, '')}{_BETWEEN}{name}{_BETWEEN}{note.fact.object}".lower()
            if note.kind == "entity":
                self._entities.add(note.fact.subject)

    def find_matching(self, query: str) -> set[str]:
        """Return the names of the entities whose name, type or observations contain a text.

        The search ignores case.
        """
        wanted = query.lower()
        found = {name for name, text in self._texts.items() if wanted in text}
        if _BETWEEN not in wanted:
            return found
        notes = (self.notes[place] for name in found for place in self._places[name])
        texts = ((note, note.fact.subject, note.fact.object) for note in notes if note.kind != "relation")
        return {note.fact.subject for note, *both in texts if any(wanted in text.lower() for text in both)}

    def about(self, names: Collection[str]) -> list[Note]:
        """Return the notes about the given entities, including all their relations."""
        places = {place for name in self._entities.intersection(names) for place in self._places[name]}
        return [self.notes[place] for place in sorted(places)]


def within(limit: int, notes: Sequence[Note], tokens: Callable[[str], int]) -> ToolResult:
    """Return a graph of the newest notes that fit. If notes are left out, a line states their number.

    The graph and the line together have at most `limit` tokens.
    """
    entities = {note.fact.subject: note for note in notes if note.kind == "entity"}

    def newest(count: int) -> ToolResult:
        chosen = [*notes[len(notes) - count :]]
        # An observation needs its entity.
        whose = [entities[note.fact.subject] for note in chosen if note.kind == "observation"]
        kept = {note.order: note for note in [*chosen, *whose]}
        graph, left_out = graph_of(in_order(kept.values())), len(notes) - len(kept)
        more = f"{left_out} older entities, observations and relations do not fit; ask for less, or use recall."
        return ToolResult([as_text(graph), *[more] * bool(left_out)], graph)

    def size(shown: ToolResult) -> int:
        return sum(map(tokens, shown.texts))

    return newest(_most(len(notes), lambda count: size(newest(count)), limit))


def _most(count: int, size: Callable[[int], int], limit: int) -> int:
    """Return about the largest number, up to `count`, whose size fits `limit`; up to a hundredth may stay unused.

    `size` returns the size of a number of things, such as their tokens, and must grow with the number. Counting tokens
    is expensive, and often only a small part fits, so the search starts with few things and extrapolates.
    """
    fitting, too_many, below, above = 0, count + 1, 0, 0
    guess = _FEW
    while too_many - fitting > 1 and (not above or limit - below > limit // 100):
        tried = min(max(guess, fitting + 1), too_many - 1)
        if (found := size(tried)) <= limit:
            fitting, below = tried, found
        else:
            too_many, above = tried, found
        share = (limit - below) / (above - below) if above else limit / max(found, 1)
        guess = fitting + int((too_many - fitting) * share) if above else int(tried * share)
    return fitting


def newest_within(limit: int, values: Sequence[Any], tokens: Callable[[str], int]) -> list[Any]:
    """Return the newest JSON values that fit in `limit` tokens, oldest first."""

    def size(count: int) -> int:
        return tokens(as_text(values[len(values) - count :]))

    return [*values[len(values) - bisect_right(range(1, len(values) + 1), limit, key=size) :]]


def as_text(value: object) -> str:
    """Return a value as JSON text, indented for the model."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _relation(note: Note) -> Mapping[str, str]:
    return {"from": note.fact.subject, "to": note.fact.object, "relationType": note.fact.relation}
