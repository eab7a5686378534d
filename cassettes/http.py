"""HTTP messages as the kit reads them, and transports that never reach the network."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from memzoo.cassettes.chunks import AT_ONCE, Arrival

__all__ = [
    "EVENT",
    "HttpRequest",
    "Recorded",
    "Response",
    "body_bytes",
    "content_type",
    "events",
    "header_values",
    "is_array",
    "is_json",
    "is_lines",
    "is_object",
    "is_stream",
    "values_of",
]

EVENT = "data:"
"""The beginning of a line with an event's data."""

Response = dict[str, Any]
"""A response as vcrpy keeps it: `{"status": {"code", "message"}, "headers": {name: values}, "body": {"string"}}`."""


@dataclass
class HttpRequest:
    """A request in a cassette; vcrpy's own requests have the same attributes."""

    method: str
    uri: str
    body: Any
    headers: Any


@dataclass
class Recorded:
    """A request and its response in a cassette.

    Attributes:
        request: The request.
        response: The response.
        caller: The name of the thread or task that asked; empty for the first, and if it does not matter.
        arrival: The arrival of the response.
        hidden: The secrets removed from the response, by place and kind.
        known: The number of known secrets when it was scrubbed.
        turn: Its place among the requests recorded with it, by the time of sending.
    """

    request: HttpRequest
    response: Response
    caller: str = ""
    arrival: Arrival = AT_ONCE
    hidden: frozenset[str] = frozenset()
    known: int = field(default=-1, compare=False)
    turn: int = field(default=0, compare=False)


def header_values(value: object) -> list[str]:
    """List the values of one header, which vcrpy keeps as text, bytes or a list of these."""
    several = cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)
    return [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in several]


def values_of(headers: Mapping[str, object], wanted: str) -> list[str]:
    """List the values of all headers with this name, which is in lower case."""
    return [value for name, several in headers.items() if name.lower() == wanted for value in header_values(several)]


def content_type(headers: Mapping[str, object]) -> str:
    """Return the content type in lower case; empty if there is none."""
    return ", ".join(values_of(headers, "content-type")).lower()


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a JSON value is an array."""
    return isinstance(value, list)


def is_json(kind: str) -> bool:
    """Tell whether a content type is one of JSON's."""
    return kind.partition(";")[0].strip().endswith(("/json", "+json"))


def is_stream(kind: str) -> bool:
    """Tell whether a content type is that of server-sent events."""
    return kind.startswith("text/event-stream")


def is_lines(kind: str) -> bool:
    """Tell whether a content type is that of JSON objects, one a line, as Ollama streams them."""
    return kind.partition(";")[0].strip().endswith(("ndjson", "jsonl", "json-lines", "jsonlines", "json-seq"))


def body_bytes(request: HttpRequest) -> bytes | None:
    """Return the body of a request as bytes, for any form from an HTTP client.

    Raises:
        TypeError: Only the HTTP client can turn the body into bytes.
    """
    body = request.body.read() if hasattr(request.body, "read") else request.body
    if isinstance(body, dict):
        return json.dumps(body).encode()
    if isinstance(body, str):
        return body.encode()
    if body is None or isinstance(body, bytes):
        return body
    return b"".join(map(_part, body))


def _part(part: Any) -> bytes:
    if isinstance(part, str):
        return part.encode()
    return bytes([part] if isinstance(part, int) else part)


def events(text: str, begin: str = EVENT) -> Iterator[tuple[int, dict[str, Any]]]:
    """Parse the JSON objects of a stream of server-sent events, each with the number of its line, from 0.

    `begin` is the beginning of a line with an object; "" for streams with an object a line.
    """
    for number, line in enumerate(text.split("\n")):
        found = None
        if line.startswith(begin):
            with suppress(ValueError, RecursionError):
                found = json.loads(line.removeprefix(begin))
        if is_object(found):
            yield number, found
