"""When a request is the same as a recorded one, and how two of them differ."""

import difflib
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from memzoo.cassettes import readable
from memzoo.cassettes.wire import HttpRequest, body_bytes

__all__ = ["RequestKey", "differences", "nearest", "request_key", "same_request"]

# What stands before these belongs to the base_url: "/v1", "/api/v1", "/v1beta/openai", a deployment's name.
_ENDPOINT = re.compile(r"/(chat/completions|completions|embeddings|responses)(/.*)?$")

_LINE_WIDTH = 100
_MOST_LINES = 40


class RequestKey(NamedTuple):
    """What of a request is matched; requests with equal keys are the same.

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
    """The key of a request."""
    url = urlsplit(request.uri)
    endpoint = _ENDPOINT.search(url.path)
    query = tuple(sorted(parse_qsl(url.query, keep_blank_values=True)))
    return RequestKey(
        request.method, endpoint[0] if endpoint else url.path or "/", query, _normal(body_bytes(request) or b"")
    )


def same_request(one: HttpRequest, other: HttpRequest) -> bool:
    """Whether two requests match: method, path, query and body; as a matcher for vcrpy."""
    return request_key(one) == request_key(other)


def nearest(asked: RequestKey, recorded: Sequence[RequestKey]) -> int | None:
    """The place of the recorded request that is most like the one asked for; `None` if nothing is recorded."""

    def likeness(place: int) -> tuple[bool, float]:
        key = recorded[place]
        compared = difflib.SequenceMatcher(None, asked.body, key.body, autojunk=False)
        return key[:3] == asked[:3], compared.quick_ratio()

    return max(range(len(recorded)), key=likeness, default=None)


def differences(asked: RequestKey, recorded: RequestKey) -> list[str]:
    """Lines that tell what is recorded (-) and what is asked for (+)."""
    lines: list[str] = []
    for name, ours, theirs in zip(RequestKey._fields, asked, recorded, strict=True):
        if ours != theirs and name != "body":
            lines += [f"{name} differs:", f"  - {theirs}", f"  + {ours}"]
    if asked.body != recorded.body:
        lines += ["body differs:", *(f"  {line}" for line in _body_difference(asked.body, recorded.body))]
    return lines


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
    try:
        text = readable.dump(json.loads(body))
    except ValueError:
        text = body
    return list(_wrapped(text))


def _wrapped(text: str) -> Iterator[str]:
    # A long line is broken up, so that the words that differ are seen, wherever in it they stand.
    wrapper = textwrap.TextWrapper(_LINE_WIDTH, break_on_hyphens=False, subsequent_indent="    ")
    for line in text.splitlines():
        seen = line.rstrip(" ")
        yield from wrapper.wrap(seen + "·" * (len(line) - len(seen))) or [""]


def _preview(body: str) -> str:
    """Enough of a body to recognise it: the model, and the newest of what is said."""
    try:
        value = json.loads(body)
        newest = value["messages"][-1]["content"] if "messages" in value else value["input"]
        text = f"{value['model']}: {newest!r}"
    except (LookupError, TypeError, ValueError):
        text = body
    return text if len(text) <= _LINE_WIDTH else f"{text[:_LINE_WIDTH]}..."
