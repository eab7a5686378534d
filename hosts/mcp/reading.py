"""Reads the graph in the shape of the tools: entities with their observations, and relations."""

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memzoo.hosts.mcp.notes import Note

__all__ = ["ToolResult", "about", "as_text", "graph_of", "in_order", "matching", "newest_within", "within"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back.

    Attributes:
        texts: What a model reads.
        values: The same as JSON values.
    """

    texts: list[str]
    values: Mapping[str, Any]


def in_order(notes: Iterable[Note]) -> list[Note]:
    """The notes that hold, in the order in which they came."""
    return sorted((note for note in notes if note.holds), key=lambda note: note.order)


def graph_of(notes: Sequence[Note]) -> dict[str, Any]:
    """Notes that hold, in order, in the shape of `read_graph`."""
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


def matching(notes: Sequence[Note], query: str) -> set[str]:
    """The names of the entities that have a text in their name, type or observations, whatever the case."""
    wanted = query.lower()
    return {
        note.fact.subject
        for note in notes
        if note.kind != "relation" and any(wanted in text.lower() for text in (note.fact.subject, note.fact.object))
    }


def about(notes: Sequence[Note], names: Collection[str]) -> list[Note]:
    """The notes about entities, with the relations at which one of them stands."""
    known = {note.fact.subject for note in notes if note.kind == "entity" and note.fact.subject in names}
    return [note for note in notes if not known.isdisjoint(note.names)]


def within(limit: int, notes: Sequence[Note], tokens: Callable[[str], int]) -> ToolResult:
    """As many notes as have at most `limit` tokens as a graph, the newest first, and how many are left out.

    Args:
        limit: Tokens of all that a model reads.
        notes: In order.
        tokens: Counts them.
    """
    entities = {note.fact.subject: note for note in notes if note.kind == "entity"}

    def newest(count: int) -> ToolResult:
        chosen = [*notes[len(notes) - count :]]
        # An observation is shown at its entity.
        whose = [entities[note.fact.subject] for note in chosen if note.kind == "observation"]
        kept = {note.order: note for note in [*chosen, *whose]}
        graph, left_out = graph_of(in_order(kept.values())), len(notes) - len(kept)
        more = f"{left_out} older entities, observations and relations do not fit; ask for less, or use recall."
        return ToolResult([as_text(graph), *[more] * bool(left_out)], graph)

    def size(shown: ToolResult) -> int:
        return sum(map(tokens, shown.texts))

    whole = newest(len(notes))
    if size(whole) <= limit:
        return whole
    # The more notes, the more tokens: the most that fit are found without trying each number.
    return newest(bisect_right(range(1, len(notes)), limit, key=lambda count: size(newest(count))))


def newest_within(limit: int, values: Sequence[Any], tokens: Callable[[str], int]) -> list[Any]:
    """As many JSON values, given oldest first, as have at most `limit` tokens as a list, the newest of them."""

    def size(count: int) -> int:
        return tokens(as_text(values[len(values) - count :]))

    return [*values[len(values) - bisect_right(range(1, len(values) + 1), limit, key=size) :]]


def as_text(value: object) -> str:
    """JSON as the tools write it."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _relation(note: Note) -> Mapping[str, str]:
    return {"from": note.fact.subject, "to": note.fact.object, "relationType": note.fact.relation}
