"""Server-sent events: hiding a secret that the model spells out over several of them."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from memzoo.cassettes.keys import PLACEHOLDER, Keys
from memzoo.cassettes.wire import is_array, is_object

__all__ = ["events", "hide_in_events"]

_DATA = "data:"
_STREAMED = frozenset({"delta", "text"})


@dataclass(slots=True)
class _Piece:
    """One string that continues another one of an earlier event; `holder[key]` is its place."""

    line: int
    holder: Any
    key: str


def events(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a stream, each with the number of its line, from 0."""
    for number, line in enumerate(text.split("\n")):
        event = _event(line)
        if event is not None:
            yield number, event


def hide_in_events(text: str, keys: Keys, hide_values: Callable[[Any], Any]) -> str:
    """The stream with its secrets hidden, also those whose characters arrive in several events.

    Args:
        text: The whole body.
        keys: Knows the secrets.
        hide_values: Hides the secrets that stand in one event.
    """
    lines = text.split("\n")
    before = dict(events(text))
    after = dict(events(text))
    _hide_joined(after, keys)
    for number, raw in after.items():
        event = hide_values(raw)
        if event != before[number]:
            ending = "\r" if lines[number].endswith("\r") else ""
            lines[number] = f"{_DATA} {json.dumps(event)}{ending}"
    return "\n".join(lines)


def _event(line: str) -> dict[str, Any] | None:
    if not line.startswith(_DATA):
        return None
    try:
        found = json.loads(line.removeprefix(_DATA))
    except (ValueError, RecursionError):
        return None
    return found if is_object(found) else None


def _hide_joined(found: dict[int, dict[str, Any]], keys: Keys) -> None:
    streams: defaultdict[tuple[Any, ...], list[_Piece]] = defaultdict(list)
    for number, event in found.items():
        about = (event.get("type"), event.get("item_id"), event.get("output_index"), event.get("content_index"))
        for path, piece in _pieces(event, number):
            streams[*about, *path].append(piece)
    for pieces in streams.values():
        _hide_in_pieces(pieces, keys)


def _pieces(value: Any, line: int, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], _Piece]]:
    """All strings of an event that are continued by others, each with the name of what it belongs to."""
    for key, child, name in _children(value):
        here = (*path, name)
        if isinstance(child, str) and not _STREAMED.isdisjoint(here):
            yield here, _Piece(line, value, key)
        else:
            yield from _pieces(child, line, here)


def _children(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    if is_object(value):
        yield from ((key, child, key) for key, child in value.items())
    if is_array(value):
        # Choices and tool calls say which one they are; their place in the list does not.
        for place, child in enumerate(value):
            yield place, child, child.get("index", place) if is_object(child) else place


def _hide_in_pieces(pieces: list[_Piece], keys: Keys) -> None:
    letters = list("".join(piece.holder[piece.key] for piece in pieces))
    spans = keys.spans("".join(letters))
    for start, end in spans:
        letters[start:end] = [PLACEHOLDER, *[""] * (end - start - 1)]
    offset = 0
    for piece in pieces if spans else ():
        length = len(piece.holder[piece.key])
        piece.holder[piece.key] = "".join(letters[offset : offset + length])
        offset += length
