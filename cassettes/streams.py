"""Server-sent events: reads them, and hides the secrets that they spell out in pieces."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from memzoo.cassettes.http import is_array, is_object
from memzoo.cassettes.secrets import PLACEHOLDER, Keys

__all__ = ["events", "hide_in_events", "joined"]

_DATA = "data:"
_STREAMED = frozenset({"delta", "text"})


_Piece: TypeAlias = tuple[Any, Any]
"""A string that continues one of an earlier event: what it lies in, and under which key."""


def events(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse the JSON objects of a stream, each with the number of its line, from 0."""
    for number, line in enumerate(text.split("\n")):
        event = _event(line)
        if event is not None:
            yield number, event


def hide_in_events(text: str, keys: Keys, hide_values: Callable[[Any], Any]) -> str:
    """Hide the secrets of a stream: those within an event, as `hide_values` does, and those that arrive in pieces."""
    lines = text.split("\n")
    before = dict(events(text))
    after = dict(events(text))
    for pieces in _streams(after):
        _hide_in_pieces(pieces, keys)
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


def joined(found: dict[int, dict[str, Any]]) -> list[str]:
    """Put together the texts that events spell out in pieces."""
    return [_text(pieces) for pieces in _streams(found)]


def _text(pieces: list[_Piece]) -> str:
    return "".join(holder[key] for holder, key in pieces)


def _streams(found: dict[int, dict[str, Any]]) -> list[list[_Piece]]:
    streams: defaultdict[tuple[Any, ...], list[_Piece]] = defaultdict(list)
    for event in found.values():
        about = (event.get("type"), event.get("item_id"), event.get("output_index"), event.get("content_index"))
        for path, piece in _pieces(event):
            streams[*about, *path].append(piece)
    return list(streams.values())


def _pieces(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], _Piece]]:
    """Find the strings of an event that later events continue, each with its path."""
    for key, child, name in _children(value):
        here = (*path, name)
        if isinstance(child, str) and not _STREAMED.isdisjoint(here):
            yield here, (value, key)
        else:
            yield from _pieces(child, here)


def _children(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    if is_object(value):
        yield from ((key, child, key) for key, child in value.items())
    if is_array(value):
        # An event lists only what it adds to: its `index`, not its place in the list, tells which choice or call it is.
        for place, child in enumerate(value):
            yield place, child, child.get("index", place) if is_object(child) else place


def _hide_in_pieces(pieces: list[_Piece], keys: Keys) -> None:
    letters = list(_text(pieces))
    spans = keys.spans("".join(letters))
    for start, end in spans:
        # The first letter gives way to the placeholder, the others to nothing: all pieces keep their bounds.
        letters[start:end] = [PLACEHOLDER, *[""] * (end - start - 1)]
    rest = iter(letters)
    for holder, key in pieces if spans else ():
        holder[key] = "".join(islice(rest, len(holder[key])))
