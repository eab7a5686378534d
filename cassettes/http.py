"""Requests and responses as cassettes keep them, with functions that read headers, bodies and streams."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast
from urllib.parse import quote, unquote

from memzoo.cassettes.chunks import AT_ONCE, Arrival

EVENT = "data:"
"""The prefix of the data lines in a stream of server-sent events."""

JSON = {"content-type": ["application/json"]}
"""The headers for a recorded call that was not an HTTP request."""

TOOL = "TOOL"
"""The HTTP method that marks a recorded call of a tool; the request's body has the arguments by name."""

_TOOLS = "/tools/"

Response = dict[str, Any]
"""A response in vcrpy's form: `{"status": {"code", "message"}, "headers": {name: values}, "body": {"string"}}`."""


@dataclass
class HttpRequest:
    """A request as a cassette keeps it; vcrpy's own requests have the same attributes."""

    method: str
    uri: str
    body: Any
    headers: Any


@dataclass
class Recorded:
    """A request and its response, as a cassette keeps them.

    Attributes:
        caller: The name of the thread or task that sent the request; "" for the one that opened the cassette.
        arrival: The chunks in which the response arrived, and the pauses between them.
        hidden: The place and kind of each secret removed from the response, as texts.
        known: The number of secrets that the scrubber knew when it last searched this recording; -1 if it never has.
        turn: The request's number in the recording, in the order of sending.
    """

    request: HttpRequest
    response: Response
    caller: str = ""
    arrival: Arrival = AT_ONCE
    hidden: frozenset[str] = frozenset()
    known: int = field(default=-1, compare=False)
    turn: int = field(default=0, compare=False)


def tool_path(name: str) -> str:
    """Return the URL path of a tool. A cassette keeps the tool's calls as HTTP requests to this path."""
    return _TOOLS + quote(name, safe="")


def tool_name(path: str) -> str:
    """Return the name of a tool from the URL path that `tool_path` made."""
    return unquote(path.removeprefix(_TOOLS))


def header_values(value: object) -> list[str]:
    """Return a header's values as strings. In vcrpy's form, the value is a string, bytes, or a list of these."""
    several = cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)
    return [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in several]


def values_of(headers: Mapping[str, object], wanted: str) -> list[str]:
    """Return the values of all headers named `wanted` (in lower case)."""
    return [value for name, several in headers.items() if name.lower() == wanted for value in header_values(several)]


def content_type(headers: Mapping[str, object]) -> str:
    """Return the content type in lower case; "" if missing."""
    return ", ".join(values_of(headers, "content-type")).lower()


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether a JSON value is an array."""
    return isinstance(value, list)


def is_json(kind: str) -> bool:
    """Return whether a content type is a JSON type."""
    return kind.partition(";")[0].strip().endswith(("/json", "+json"))


def is_stream(kind: str) -> bool:
    """Return whether a content type is the type of server-sent events."""
    return kind.startswith("text/event-stream")


def is_lines(kind: str) -> bool:
    """Return whether a content type means lines of JSON objects, as in Ollama's streams."""
    return kind.partition(";")[0].strip().endswith(("ndjson", "jsonl", "json-lines", "jsonlines", "json-seq"))


def body_bytes(request: HttpRequest) -> bytes | None:
    """Return the body of a request as bytes. The body may be text, bytes, a file, JSON, or an iterable of parts.

    Raises:
        TypeError: The body is of a type that only the HTTP client can read, such as an asynchronous iterator.
    """
    body = request.body.read() if hasattr(request.body, "read") else request.body
    # aiohttp hands over JSON, and a form's fields, before it encodes them.
    if is_object(body) or (is_array(body) and not all(isinstance(part, str | bytes | int) for part in body)):
        return json.dumps(body, default=_file_text).encode()
    if isinstance(body, str):
        return body.encode()
    if body is None or isinstance(body, bytes):
        return body
    return b"".join(map(_part, body))


def form_body(form: Any) -> bytes:
    """Return the fields of an `aiohttp.FormData` as JSON, because sending empties the form."""
    fields = [{**options, **headers, "value": value} for options, headers, value in form._fields]
    return json.dumps(fields, default=_file_text).encode()


def _file_text(file: Any) -> str:
    content = file
    if hasattr(file, "read"):
        start = file.tell()
        content = file.read()
        file.seek(start)
    if isinstance(content, str):
        return content
    try:
        return bytes(content).decode()
    except UnicodeDecodeError:
        return base64.b64encode(content).decode()


def _part(part: Any) -> bytes:
    if isinstance(part, str):
        return part.encode()
    return bytes([part] if isinstance(part, int) else part)


def events(text: str, begin: str = EVENT) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of a stream, each with the number of its line, from 0.

    `begin` is the text before the JSON in a line, such as "data:"; "" if lines have only JSON.
    """
    for number, line in enumerate(text.split("\n")):
        found = None
        if line.startswith(begin):
            with suppress(ValueError, RecursionError):
                found = json.loads(line.removeprefix(begin))
        if is_object(found):
            yield number, found
