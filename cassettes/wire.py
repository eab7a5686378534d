"""The few facts about HTTP messages that the kit looks at."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeGuard, cast

__all__ = [
    "HttpRequest",
    "Response",
    "body_bytes",
    "content_type",
    "header_values",
    "is_array",
    "is_json",
    "is_object",
    "is_stream",
]

Response = dict[str, Any]
"""A response as vcrpy keeps it: `{"status": {"code", "message"}, "headers": {name: values}, "body": {"string"}}`."""


class HttpRequest(Protocol):
    """A request as vcrpy keeps it."""

    method: str
    uri: str
    body: Any
    headers: Any


def header_values(value: object) -> list[str]:
    """The values of one header, which vcrpy keeps as text, bytes or a list of these."""
    several = cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)
    return [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in several]


def content_type(headers: Mapping[str, object]) -> str:
    """The content type in lower case; empty if there is none."""
    found = [header_values(value) for name, value in headers.items() if name.lower() == "content-type"]
    return ", ".join(found[0]).lower() if found else ""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def is_json(kind: str) -> bool:
    """Whether a content type is one of JSON's."""
    return kind.partition(";")[0].strip().endswith(("/json", "+json"))


def is_stream(kind: str) -> bool:
    """Whether a content type is that of server-sent events."""
    return kind.startswith("text/event-stream")


def body_bytes(request: HttpRequest) -> bytes | None:
    """The body of a request, whatever its HTTP client handed over.

    Raises:
        TypeError: It is an object that only its HTTP client can turn into bytes.
    """
    body = request.body
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, dict):
        return json.dumps(body).encode()
    if hasattr(body, "read"):
        body = body.read()
    return _joined(body)


def _joined(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    parts = list(body)
    # The parts of a bytearray and the like are numbers.
    return bytes(parts) if parts and isinstance(parts[0], int) else b"".join(map(_encoded, parts))


def _encoded(part: str | bytes) -> bytes:
    return part.encode() if isinstance(part, str) else bytes(part)
