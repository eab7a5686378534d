"""Requests and responses as cassettes keep them, with functions that read headers, bodies and streams."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast
from urllib.parse import quote, unquote, urlencode

from memzoo.cassettes.chunks import AT_ONCE, Arrival
from memzoo.cassettes.errors import CassetteError

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
    # aiohttp hands over JSON before it encodes it.
    if is_object(body) or (is_array(body) and not all(isinstance(part, str | bytes | int) for part in body)):
        return json.dumps(body).encode()
    if isinstance(body, str):
        return body.encode()
    if body is None or isinstance(body, bytes):
        return body
    return b"".join(map(_part, body))


def encode_form(request: Any) -> None:
    """Encode the body of a request if it is a form of aiohttp, which hands it over before, and empties it by sending.

    Raises:
        CassetteError: A field cannot be read, or the form was sent before.
    """
    form: Any = request.body
    fields: list[tuple[Mapping[str, str], Mapping[str, str], Any]]
    if hasattr(form, "add_field"):
        fields, has_parts = form._fields, form.is_multipart
        if has_parts and not fields:
            raise CassetteError(
                "A form of aiohttp is empty once it was sent, so the request is neither recorded nor replayed. Make a"
                " new FormData for each request."
            )
    else:
        given: Any = list(form.items()) if is_object(form) else form
        # vcrpy makes an iterator of a tuple.
        pairs = list(cast("Iterable[Any]", given)) if isinstance(given, list | Iterator) else []
        if not pairs or not all(map(_is_field, pairs)):
            return
        fields = [({"name": name}, {}, value) for name, value in pairs]
        has_parts = any(
            hasattr(value, "read") or isinstance(value, bytes | bytearray | memoryview) for _, value in pairs
        )
        if is_object(form) and not has_parts:
            return  # perhaps JSON
    if has_parts:
        kind = "multipart/form-data; boundary=boundary"
        request.body = b"".join(_form_part(*one) for one in fields) + b"--boundary--\r\n"
    else:
        kind = "application/x-www-form-urlencoded"
        request.body = urlencode([(options["name"], value) for options, _, value in fields], doseq=True).encode()
    request.headers["content-type"] = kind
    # Otherwise vcrpy would hand over the bytes of a tuple's fields one by one.
    request._was_iter = False  # noqa: SLF001 - has no public name


def _is_field(one: Any) -> bool:
    """Return whether a part of a body is a pair of a form's name and value."""
    match one:
        case [str(), value]:
            return isinstance(one, tuple) or not isinstance(value, dict | list)  # JSON has lists, never tuples
        case _:
            return False


def _form_part(options: Mapping[str, str], headers: Mapping[str, str], value: Any) -> bytes:
    content = value
    try:
        if hasattr(value, "read"):
            start = value.tell()
            content = value.read()
            value.seek(start)
        content = content.encode() if isinstance(content, str) else bytes(memoryview(content))
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise CassetteError(
            f"The field {options['name']!r} of a form has the type {type(value).__name__}, which a cassette cannot read"
            " and leave as it was, so the request is neither recorded nor replayed. Give bytes, a text, or a file that"
            " can seek."
        ) from error
    said = "; ".join(["form-data", *(f'{name}="{one}"' for name, one in options.items())])
    lines = [f"{name}: {one}\r\n" for name, one in {"Content-Disposition": said, **headers}.items()]
    return f"--boundary\r\n{''.join(lines)}\r\n".encode() + content + b"\r\n"


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
