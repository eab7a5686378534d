"""Decides whether a request is the same as a recorded one, and reports how the two differ."""

import difflib
import json
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from memzoo.cassettes.http import HttpRequest, body_bytes

__all__ = [
    "RequestKey",
    "differences",
    "nearest",
    "request_key",
    "same_request",
    "shown",
    "unmatched",
    "unplayed",
]

# Whatever comes before these belongs to the base_url: "/v1", "/api/v1", "/v1beta/openai", a deployment's name.
_ENDPOINT = re.compile(r"/(chat/completions|completions|embeddings|responses)(/.*)?$")

_LINE_WIDTH = 100
_MOST_LINES = 40


class RequestKey(NamedTuple):
    """The parts of a request that are matched; requests with equal keys are the same.

    Attributes:
        method: GET, POST, ...
        path: The path, without the part that belongs to the client's `base_url`.
        query: Names and values, sorted.
        body: JSON in a normal form (sorted keys, `1.0` as `1`); any other body as it is.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: str

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query)
        return f"{self.method} {self.path}{'?' if query else ''}{query} {_preview(self.body)}".rstrip()


def request_key(request: HttpRequest) -> RequestKey:
    """Compute the key of a request."""
    url = urlsplit(request.uri)
    endpoint = _ENDPOINT.search(url.path)
    query = tuple(sorted(parse_qsl(url.query, keep_blank_values=True)))
    return RequestKey(
        request.method, endpoint[0] if endpoint else url.path or "/", query, _normal(body_bytes(request) or b"")
    )


def same_request(one: HttpRequest, other: HttpRequest) -> bool:
    """Match two requests by method, path, query and body; a matcher for vcrpy."""
    return request_key(one) == request_key(other)


def nearest(asked: RequestKey, recorded: Sequence[RequestKey]) -> int | None:
    """Find the recorded request that is most like the one asked for; `None` if nothing is recorded."""

    def likeness(place: int) -> tuple[bool, float]:
        key = recorded[place]
        compared = difflib.SequenceMatcher(None, asked.body, key.body, autojunk=False)
        # The exact ratio takes seconds for long prompts, and this one picks the same request.
        return key[:3] == asked[:3], compared.quick_ratio()

    return max(range(len(recorded)), key=likeness, default=None)


def differences(asked: RequestKey, recorded: RequestKey) -> list[str]:
    """List what is recorded (-) and what is asked for (+), line by line."""
    lines: list[str] = []
    for name, ours, theirs in zip(RequestKey._fields, asked, recorded, strict=True):
        if ours != theirs and name != "body":
            lines += [f"{name} differs:", f"  - {theirs}", f"  + {ours}"]
    if asked.body != recorded.body:
        lines += ["body differs:", *(f"  {line}" for line in _body_difference(asked.body, recorded.body))]
    return lines


def shown(path: Path) -> str:
    """Write a path relative to the current directory where that is possible."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def unmatched(
    asked: RequestKey, recorded: Sequence[RequestKey], unplayed: Collection[int], path: Path, hint: str
) -> str:
    """Report a request without a recording; `unplayed` are the places in `recorded` that are left."""
    lines = _played_up(asked, recorded) if asked in recorded else _unknown(asked, recorded, unplayed)
    return "\n".join([f"No recording is left for this request:\n  {asked}", *lines, _where(path, recorded), hint])


def unplayed(recorded: Sequence[RequestKey], left: Collection[int], path: Path, hint: str) -> str:
    """Report recorded requests that were not sent; `left` are their places in `recorded`."""
    lines = [f"  {place + 1}. {recorded[place]}" for place in sorted(left)]
    title = f"{len(lines)} of {len(recorded)} recorded requests were not sent:"
    return "\n".join([title, *lines, _where(path, recorded), hint])


@lru_cache(maxsize=256)
def _normal(body: bytes) -> str:
    try:
        value = json.loads(body, parse_float=_number)
    except (ValueError, RecursionError):
        return body.decode(errors="backslashreplace")
    return json.dumps(value, sort_keys=True)


def _number(digits: str) -> float:
    value = float(digits)
    return int(value) if value.is_integer() else value


def _body_difference(asked: str, recorded: str) -> list[str]:
    compared = difflib.unified_diff(_lines(recorded), _lines(asked), n=1, lineterm="")
    lines = [f"{line[0]} {line[1:]}" for line in compared if not line.startswith(("---", "+++", "@@"))]
    if not lines:
        return ["only in white space"]
    left_out = len(lines) - _MOST_LINES
    return lines[:_MOST_LINES] + ([f"... and {left_out} more lines"] if left_out > 0 else [])


def _lines(body: str) -> list[str]:
    from memzoo.cassettes.format import dump  # needs PyYAML, and the package must import without it

    try:
        text = dump(json.loads(body))
    except ValueError:
        text = body
    return list(_wrapped(text))


def _wrapped(text: str) -> Iterator[str]:
    # A prompt is often one long line: broken up, only the part that differs is shown.
    wrapper = textwrap.TextWrapper(_LINE_WIDTH, break_on_hyphens=False, subsequent_indent="    ")
    for line in text.splitlines():
        seen = line.rstrip(" ")
        yield from wrapper.wrap(seen + "·" * (len(line) - len(seen))) or [""]


def _preview(body: str) -> str:
    """Shorten a body to what identifies it: the model and the newest message."""
    try:
        value = json.loads(body)
        newest = value["messages"][-1]["content"] if "messages" in value else value["input"]
        text = f"{value['model']}: {newest!r}"
    except (LookupError, TypeError, ValueError):
        text = body
    return text if len(text) <= _LINE_WIDTH else f"{text[:_LINE_WIDTH]}..."


def _played_up(asked: RequestKey, recorded: Sequence[RequestKey]) -> list[str]:
    times = recorded.count(asked)
    return [f"It was recorded {times} {'time' if times == 1 else 'times'}, and every one of them has been played."]


def _unknown(asked: RequestKey, recorded: Sequence[RequestKey], unplayed: Collection[int]) -> list[str]:
    # A changed prompt leaves its old recording unplayed, so look among those first.
    places = sorted(unplayed) or list(range(len(recorded)))
    found = nearest(asked, [recorded[place] for place in places])
    if found is None:
        return ["Nothing is recorded in the cassette."]
    place = places[found]
    lines = [f"  {line}" for line in differences(asked, recorded[place])]
    return [f"The nearest is number {place + 1} (- recorded, + asked for):", *lines]


def _where(path: Path, recorded: Sequence[RequestKey]) -> str:
    return f"Cassette: {shown(path)} ({len(recorded)} recorded)"
