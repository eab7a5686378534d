"""Hides secret keys in the answers of models. The rest of an answer stays unchanged.

The name of a value does not make it a secret: a tool's argument `cookies` may be about biscuits.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from memzoo.cassettes.http import EVENT, events, is_array, is_lines, is_object, is_stream
from memzoo.cassettes.places import is_local_model, json_in
from memzoo.cassettes.secrets import Keys, Secret, replace

# Members with texts that later events continue; the last three members are Ollama's.
_STREAMED = frozenset({"delta", "text", "content", "response", "thinking"})
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"(?=(\s*+:)?)', re.DOTALL)
# One character in a JSON string, perhaps escaped; two escaped surrogates form one character.
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)

_Path: TypeAlias = tuple[Any, ...]
_Place: TypeAlias = tuple[_Path, Any, Any]
"""The place of a string: its path, its container, and its key there."""


def hide_in_answer(text: str, kind: str, keys: Keys) -> tuple[str, frozenset[str]]:
    """Hide the secret keys in an answer's body. `kind` is the answer's content type.

    Returns:
        The new body, and a text for each hidden key, with its place and kind.
    """
    if is_stream(kind) or is_lines(kind):
        return hide_in_events(text, keys, EVENT if is_stream(kind) else "")
    value, hidden = json_in(text), set[str]()
    if is_array(value) and all(map(is_object, value)):
        # Gemini's streams, unless the request asked for events.
        hidden = _hide_in_pieces(dict(enumerate(value)), keys)
        text = json.dumps(value) if hidden else text
    found = _find(text, keys)
    return replace(text, found), frozenset(hidden | _tell(text, found, keys))


def hide_in_events(text: str, keys: Keys, begin: str = EVENT) -> tuple[str, frozenset[str]]:
    """Hide the secret keys in a stream's text. A key that is split over several events is hidden too.

    `begin` is the text before the JSON in a line, such as "data:"; "" if lines have only JSON.

    Returns:
        The new text, and a text for each hidden key, with its place and kind.
    """
    lines = text.split("\n")
    before, after = dict(events(text, begin)), dict(events(text, begin))
    hidden = _hide_in_pieces(after, keys)
    for number, event in after.items():
        if event != before[number]:
            ending = "\r" if lines[number].endswith("\r") else ""
            lines[number] = f"{begin}{' ' if begin else ''}{json.dumps(event)}{ending}"
        said = lines[number].removeprefix(begin)
        if found := _find(said, keys):
            lines[number] = begin + replace(said, found)
            hidden |= _tell(said, found, keys)
    rest = [number for number in range(len(lines)) if number not in after]
    between = "\n".join(lines[number] for number in rest)
    if found := keys.find(between):
        # Chunks are mapped by lines, so the number of lines must not change.
        kept = (one._replace(put=one.put + "\n" * between.count("\n", one.start, one.end)) for one in found)
        for number, line in zip(rest, replace(between, kept).split("\n"), strict=True):
            lines[number] = line
        hidden |= _tell("", found, keys)
    return "\n".join(lines), frozenset(hidden)


def local_models(text: str, kind: str) -> Iterator[str]:
    """Yield the model names that are file paths, from a model's answer or a server's list of models.

    `kind` is the content type.
    """
    values = [event for _, event in events(text)] if is_stream(kind) else [json_in(text)]
    for value in filter(is_object, values):
        listed = [one for name in ("models", "data") if is_array(several := value.get(name)) for one in several]
        for one in filter(is_object, [value, value.get("response"), value.get("message"), *listed]):
            for name in ("model", "id", "name"):
                if isinstance(path := one.get(name), str) and is_local_model("", path):
                    yield path


def _find(text: str, keys: Keys) -> list[Secret]:
    """Return the keys in a text. In JSON, also in nested JSON strings, only values are searched, not names."""
    if json_in(text) is None:
        return keys.find(text)
    return [one for string in _STRING.finditer(text) if not string[2] for one in _find_in_string(string, keys)]


def _find_in_string(string: re.Match[str], keys: Keys) -> Iterator[Secret]:
    found = _find(json.loads(string[0]), keys)
    places = [one.start() for one in _CHARACTER.finditer(string[1])] if found else []
    places.append(len(string[1]))
    for one in found:
        start, end = (string.start(1) + places[place] for place in one[:2])
        yield one._replace(start=start, end=end, put=json.dumps(one.put)[1:-1])


def _tell(text: str, found: Iterable[Secret], keys: Keys) -> set[str]:
    """Return descriptions of the keys found in a text, with their places and kinds."""
    kinds = {one.kind for one in found}
    strings = _strings(json_in(text) or []) if kinds else ()
    told = {_say(path, one.kind, keys) for path, holder, key in strings for one in _find(holder[key], keys)}
    return told or {f"the body {kind}" for kind in kinds}


def _say(path: _Path, kind: str, keys: Keys) -> str:
    shown = "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"{replace(shown, keys.find(shown))} {kind}"


def _hide_in_pieces(found: Mapping[int, dict[str, Any]], keys: Keys) -> set[str]:
    """Hide the keys in texts that are split over events; change the events, and return the keys' descriptions."""
    streams: defaultdict[str, list[_Place]] = defaultdict(list)
    for event in found.values():
        about = [event.get(name) for name in ("type", "item_id", "output_index", "content_index", "index")]
        for place in _strings(event):
            if not _STREAMED.isdisjoint(place[0]):
                streams[f"{about} {place[0]}"].append(place)
    hidden = set[str]()
    for pieces in streams.values():
        letters = [letter for _, holder, key in pieces for letter in holder[key]]
        secrets = _find("".join(letters), keys)
        for one in secrets:
            # The placeholder replaces the first letter, and the other letters become empty, to keep the pieces' bounds.
            letters[one.start : one.end] = [one.put, *[""] * (one.end - one.start - 1)]
            hidden.add(_say(pieces[0][0], one.kind, keys))
        rest = iter(letters)
        for _, holder, key in pieces if secrets else ():
            holder[key] = "".join(islice(rest, len(holder[key])))
    return hidden


def _strings(value: Any) -> Iterator[_Place]:
    """Yield the places of all strings in JSON, at any depth."""
    left: list[tuple[_Path, Any]] = [((), value)]
    while left:
        path, holder = left.pop()
        members = holder.items() if is_object(holder) else enumerate(holder)
        for key, child in members:
            # An event lists only the choices or calls that it extends, identified by `index`, not by their position.
            name = child.get("index", key) if is_array(holder) and is_object(child) else key
            if isinstance(child, str):
                yield (*path, name), holder, key
            elif is_object(child) or is_array(child):
                left.append(((*path, name), child))
