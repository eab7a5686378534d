"""Decides whether a request is the same as a recorded one."""

import json
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from memzoo.cassettes.conversation import newest
from memzoo.cassettes.http import HttpRequest, body_bytes
from memzoo.cassettes.ignoring import NOTHING_IGNORED, Ignored
from memzoo.cassettes.secrets import PLACEHOLDER, can_be_secret

__all__ = ["RequestKey", "request_key", "stands_for"]

# Whatever comes before these belongs to the base_url: "/v1", "/api/v1", "/v1beta/openai", a deployment's name.
_ENDPOINT = re.compile(
    r"/(chat/completions|completions|embeddings|responses|messages|messages/count_tokens|models/[^/:]+:[A-Za-z]+)(/.*)?$"
)

_WIDTH = 100


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


def request_key(request: HttpRequest, ignored: Ignored = NOTHING_IGNORED) -> RequestKey:
    """Compute the key of a request, without what may vary."""
    url = urlsplit(request.uri)
    endpoint = _ENDPOINT.search(url.path)
    query = sorted((name, ignored.text(value)) for name, value in parse_qsl(url.query, keep_blank_values=True))
    path = ignored.text(endpoint[0] if endpoint else url.path or "/")
    return RequestKey(request.method, path, tuple(query), _normal(body_bytes(request) or b"", ignored))


def stands_for(recorded: RequestKey, asked: RequestKey) -> bool:
    """Tell whether a request only differs from a recording in having secrets where that has placeholders.

    A value may be known as a secret only by what came later in the recording.
    """
    if recorded.method != asked.method or PLACEHOLDER not in "".join(map(str, recorded)):
        return False
    return all(
        _fills(ours.split(PLACEHOLDER), theirs) for ours, theirs in zip(_texts(recorded), _texts(asked), strict=True)
    )


@lru_cache(maxsize=256)
def _normal(body: bytes, ignored: Ignored) -> str:
    try:
        value = json.loads(body, parse_float=_number)
    except (ValueError, RecursionError):
        return ignored.text(body.decode(errors="backslashreplace"))
    return json.dumps(ignored.json(value), sort_keys=True)


def _preview(body: str) -> str:
    """Shorten a body to what identifies it: the model and the newest message."""
    try:
        value = json.loads(body)
        said = newest(value)
    except ValueError:
        value, said = {}, ""
    text = f"{value.get('model', '')}: {said!r}".removeprefix(": ") if said else body
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _texts(key: RequestKey) -> tuple[str, str, str]:
    return key.path, urlencode(key.query), key.body


def _fills(parts: list[str], text: str) -> bool:
    """Tell whether a text has these parts, and between them what could be secrets."""
    if len(parts) == 1:
        return parts[0] == text
    start, end = len(parts[0]), len(text) - len(parts[-1])
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    for part in parts[1:-1]:
        place = text.find(part, start + 1, end)
        if place < 0 or not _could_be_hidden(text[start:place]):
            return False
        start = place + len(part)
    return _could_be_hidden(text[start:end])


def _could_be_hidden(value: str) -> bool:
    return value == PLACEHOLDER or (can_be_secret(value) and not re.search(r"[\s\"]", value))


def _number(digits: str) -> float:
    value = float(digits)
    return int(value) if value.is_integer() else value
