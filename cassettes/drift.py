"""Compares two recordings of the same test: what the model's provider, or the code, has changed since."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from memzoo.cassettes.conversation import answer_text, facts_of
from memzoo.cassettes.http import Recorded, content_type, is_array, is_object, is_stream
from memzoo.cassettes.ignoring import NOTHING_IGNORED, Ignored
from memzoo.cassettes.matching import request_key
from memzoo.cassettes.streams import events

__all__ = ["drift"]

_TEXT_WIDTH = 60


def drift(old: Sequence[Recorded], new: Sequence[Recorded], ignored: Ignored = NOTHING_IGNORED) -> list[str]:
    """List what differs, the gravest first: calls, prompts, types, fields, models, tokens, answers."""
    found = [line for pair in _pairs(old, new, ignored) for line in _of_call(*pair)]
    if len(old) != len(new):
        found.append((0, f"calls: {len(old)} -> {len(new)}"))
    before, after = (facts_of(one.response for one in side) for side in (old, new))
    for name, weight in (("models", 4), ("input_tokens", 5), ("output_tokens", 6)):
        left, right = getattr(before, name), getattr(after, name)
        if left != right:
            found.append((weight, f"{name.replace('_', ' ')}: {_shown(left)} -> {_shown(right)}"))
    return [line for _, line in sorted(dict.fromkeys(found), key=lambda line: line[0])]


def _pairs(
    old: Sequence[Recorded], new: Sequence[Recorded], ignored: Ignored
) -> Iterator[tuple[Recorded, Recorded, bool]]:
    """Pair what asks the same, wherever it stands, since what is sent at once comes in any order; then the others."""
    left, changed = [(request_key(one.request, ignored), one) for one in new], list[Recorded]()
    for one in old:
        key = request_key(one.request, ignored)
        place = next((place for place, (other, _) in enumerate(left) if other == key), None)
        if place is None:
            changed.append(one)
        else:
            yield one, left.pop(place)[1], True
    yield from ((one, other, False) for one, (_, other) in zip(changed, left, strict=False))


def _of_call(old: Recorded, new: Recorded, same: bool) -> Iterator[tuple[int, str]]:  # noqa: FBT001 - one of _pairs
    if not same:
        yield 1, f"another request: {request_key(old.request)} -> {request_key(new.request)}"
    codes = [one.response["status"]["code"] for one in (old, new)]
    if codes[0] != codes[1]:
        yield 1, f"status: {codes[0]} -> {codes[1]}"
    yield from _of_types(_types(old), _types(new))
    texts = [answer_text(one.response) for one in (old, new)]
    if texts[0] != texts[1]:
        yield 7, f"answer: {texts[0][:_TEXT_WIDTH]!r} -> {texts[1][:_TEXT_WIDTH]!r}"


def _of_types(before: dict[str, str], after: dict[str, str]) -> Iterator[tuple[int, str]]:
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield 3, f"removed: {path}"
        elif path not in before:
            yield 3, f"new field: {path}"
        elif before[path] != after[path]:
            yield 2, f"type changed: {path}: {before[path]} -> {after[path]}"


def _types(one: Recorded) -> dict[str, str]:
    """Name the types of all fields of a response; the items of a list are one."""
    found: dict[str, set[str]] = {}
    for value in _values(one):
        for path, kind in _walk(value, "$"):
            found.setdefault(path, set()).add(kind)
    return {path: " or ".join(sorted(kinds)) for path, kinds in found.items()}


def _values(one: Recorded) -> list[Any]:
    text = one.response["body"]["string"].decode(errors="replace")
    if is_stream(content_type(one.response["headers"])):
        return [event for _, event in events(text)]
    try:
        return [json.loads(text)]
    except ValueError:
        return []


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    yield path, type(value).__name__
    if is_object(value):
        for key, child in value.items():
            yield from _walk(child, f"{path}.{key}")
    elif is_array(value):
        for child in value:
            yield from _walk(child, f"{path}[*]")


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else f"{value:,}"
