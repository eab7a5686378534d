"""Reads and writes a graph as `memory.jsonl`, the file format of `@modelcontextprotocol/server-memory`."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from memzoo.errors import TransferError
from memzoo.hosts.mcp.calls import (
    Addition,
    AddObservations,
    CreateEntities,
    CreateRelations,
    Entity,
    Relation,
    Write,
    parse_arguments,
)
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.reading import graph_of
from memzoo.sync import blocking_function

_AT_ONCE = 100
_KINDS = {"entity": "entities", "relation": "relations"}
_CLASSES: dict[str, type[Entity | Relation]] = {"entity": Entity, "relation": Relation}

T = TypeVar("T")


def parse_lines(lines: Iterable[str]) -> list[Entity | Relation]:
    """Return the entities and relations in the lines of a `memory.jsonl`.

    Raises:
        TransferError: A line is not valid in a `memory.jsonl`.
    """
    return [_thing(line, number) for number, line in enumerate(lines, 1) if line.strip()]


async def aimport_lines(memory: GraphMemory, lines: Iterable[str]) -> int:
    """Import the lines of a `memory.jsonl` into the graph.

    Entities, observations and relations that are already in the graph are skipped.

    Returns:
        The number of new entities, observations and relations.

    Raises:
        TransferError: A line is not valid in a `memory.jsonl`; nothing was stored.
    """
    things = parse_lines(lines)
    known = graph_of(await memory.alist_notes())
    writes = [
        *_entity_writes(_merge(one for one in things if isinstance(one, Entity)), known["entities"]),
        *_relation_writes([one for one in things if isinstance(one, Relation)], known["relations"]),
    ]
    return sum([len(await memory.awrite(one)) for one in writes])


async def aexport_lines(memory: GraphMemory) -> list[str]:
    """Return the current graph as lines of a `memory.jsonl`: entities, then relations."""
    graph = graph_of(await memory.alist_notes())
    things = [{"type": kind, **one} for kind, many in _KINDS.items() for one in graph[many]]
    return [json.dumps(thing, ensure_ascii=False, separators=(",", ":")) + "\n" for thing in things]


import_lines = blocking_function(aimport_lines)
export_lines = blocking_function(aexport_lines)


def _thing(line: str, number: int) -> Entity | Relation:
    try:
        value = json.loads(line)
        return parse_arguments(_CLASSES[value["type"]], value, f"line {number}")
    except (ValueError, KeyError, TypeError) as error:
        raise TransferError(
            f"line {number} is neither an entity nor a relation of a memory.jsonl ({error}): {line.strip():.80}; "
            "nothing was stored"
        ) from error


def _merge(entities: Iterable[Entity]) -> list[Entity]:
    """Return entities with equal names merged: the original server wrote duplicates if two calls ran at once."""
    found: dict[str, Entity] = {}
    for one in entities:
        first = found.setdefault(one.name, one)
        both = [*dict.fromkeys([*first.observations, *one.observations])]
        found[one.name] = first.model_copy(update={"observations": both})
    return [*found.values()]


def _entity_writes(entities: Sequence[Entity], known: Sequence[Mapping[str, Any]]) -> Iterator[Write]:
    held = {one["name"]: {*one["observations"]} for one in known}
    for some in _parts([one for one in entities if one.name not in held]):
        yield CreateEntities(entities=some)
    missing = [
        Addition(entityName=one.name, contents=contents)
        for one in entities
        if one.name in held and (contents := [text for text in one.observations if text not in held[one.name]])
    ]
    for more in _parts(missing):
        yield AddObservations(observations=more)


def _relation_writes(relations: Sequence[Relation], known: Sequence[Mapping[str, Any]]) -> Iterator[Write]:
    held = {tuple(one.values()) for one in known}
    for some in _parts([one for one in relations if (one.start, one.end, one.relation_type) not in held]):
        yield CreateRelations(relations=some)


def _parts(things: Sequence[T]) -> Iterator[list[T]]:
    return ([*things[start : start + _AT_ONCE]] for start in range(0, len(things), _AT_ONCE))
