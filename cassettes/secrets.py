"""Finds secrets and hides them, also those that a stream spells out over several events."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.cassettes.http import is_array, is_object

__all__ = ["PLACEHOLDER", "Keys", "events", "hide_in_events", "secrets_in_environment"]

PLACEHOLDER = "SCRUBBED"

# "EMPTY", "ollama" or the password "postgres" hide nothing, and a prompt may well contain them.
_SHORTEST = 8
_LONGEST_WORD = 20

_START = r"(?<![A-Za-z0-9])"
_RANDOM = r"(?=[A-Za-z]*\d|[A-Za-z]{16})[A-Za-z0-9]{8,}"

# Each kind of key: how it begins, and a pattern for all of it. Some English words begin like a key ("org-chart"), so
# such patterns ask for a digit.
_PATTERNS = {
    "sk-": _START + r"sk-[\w-]{8,}",
    "org-": _START + "org-" + _RANDOM,
    "proj_": _START + "proj_" + _RANDOM,
    "Bearer ": r"(?<=Bearer )(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}",
    "gsk_": _START + r"gsk_\w{16,}",
    "hf_": _START + r"hf_\w{16,}",
    "ghp_": _START + r"ghp_\w{16,}",
    "gho_": _START + r"gho_\w{16,}",
    "github_pat_": _START + r"github_pat_\w{16,}",
    "xai-": _START + r"xai-[\w-]{16,}",
    "xox": _START + r"xox[abeoprs]-[\w-]{8,}",
    "AIza": _START + r"AIza[\w-]{30,}",
    "AKIA": _START + r"AKIA[0-9A-Z]{16}",
    "eyJ": _START + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "__cf_bm=": r"__cf_bm=[^;\s\"]+",
}

_DATA = "data:"
_STREAMED = frozenset({"delta", "text"})

_SECRET_VARIABLE = re.compile(
    r"(API_?KEY|ACCESS_KEY|SECRET_KEY|TOKEN|SECRET|PASSWORD)$|^OPENAI_(ORG_ID|PROJECT_ID|ADMIN_KEY)$"
)


def secrets_in_environment(further: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Collect the values of environment variables that hold secrets, such as `OPENAI_API_KEY`.

    Args:
        further: Names of variables that hold secrets although their names do not say so.
        environment: Where to look; the process environment by default.
    """
    variables = os.environ if environment is None else environment
    names = {name for name in variables if _SECRET_VARIABLE.search(name)} | set(further)
    return frozenset(variables[name] for name in names if name in variables)


class Keys:
    """Finds and hides secrets: known values, and whatever looks like a key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: tuple[str, ...] = ()
        self.learn(values)

    def learn(self, values: Iterable[str]) -> None:
        """Treat these values as secrets from now on, unless they are too short or plain words."""
        fresh = set(filter(_can_be_secret, values))
        if not fresh.issubset(self._values):
            # The longest first: where one value begins like another, no part of the longer one may stay.
            self._values = tuple(sorted(fresh.union(self._values), key=lambda value: (-len(value), value)))

    def hide(self, text: str) -> str:
        """Put a placeholder in place of each secret."""
        pattern = self._pattern(text)
        return pattern.sub(PLACEHOLDER, text) if pattern else text

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Find the secrets, as (start, end), in order and without overlap."""
        pattern = self._pattern(text)
        return [found.span() for found in pattern.finditer(text)] if pattern else []

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        # Nearly all texts hold no secret, and a search for how one begins is much faster than the whole pattern.
        known = [re.escape(value) for value in self._values if value in text]
        likely = [pattern for beginning, pattern in _PATTERNS.items() if beginning in text]
        return re.compile("|".join([*known, *likely])) if known or likely else None


def _can_be_secret(value: str) -> bool:
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _LONGEST_WORD)


@dataclass(slots=True)
class _Piece:
    """A string that continues one of an earlier event; it stands in `holder[key]`."""

    line: int
    holder: Any
    key: str


def events(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse the JSON objects of a stream, each with the number of its line, from 0."""
    for number, line in enumerate(text.split("\n")):
        event = _event(line)
        if event is not None:
            yield number, event


def hide_in_events(text: str, keys: Keys, hide_values: Callable[[Any], Any]) -> str:
    """Hide the secrets of a stream, also those that arrive in pieces.

    Args:
        text: The whole body.
        keys: Knows the secrets.
        hide_values: Hides the secrets within one event.
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
    """Find the strings of an event that later events continue, each with its path."""
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
        # An event lists only what it adds to: its `index`, not its place in the list, tells which choice or call it is.
        for place, child in enumerate(value):
            yield place, child, child.get("index", place) if is_object(child) else place


def _hide_in_pieces(pieces: list[_Piece], keys: Keys) -> None:
    letters = list("".join(piece.holder[piece.key] for piece in pieces))
    spans = keys.spans("".join(letters))
    for start, end in spans:
        # The first letter gives way to the placeholder, the others to nothing: all pieces keep their bounds.
        letters[start:end] = [PLACEHOLDER, *[""] * (end - start - 1)]
    offset = 0
    for piece in pieces if spans else ():
        length = len(piece.holder[piece.key])
        piece.holder[piece.key] = "".join(letters[offset : offset + length])
        offset += length
