"""Reduces requests and responses to what replay needs, without secrets."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from memzoo.cassettes.errors import RecordingError
from memzoo.cassettes.finding import PART, is_form, is_secret, local_models, named, nested, secrets_of
from memzoo.cassettes.http import (
    HttpRequest,
    Recorded,
    Response,
    body_bytes,
    content_type,
    header_values,
    is_array,
    is_object,
    is_stream,
    values_of,
)
from memzoo.cassettes.secrets import PLACEHOLDER, Keys, Telling, telling
from memzoo.cassettes.streams import hide_in_events

__all__ = ["ORIGIN", "REQUEST_HEADERS", "RESPONSE_HEADERS", "Scrubber"]

ORIGIN = "http://recorded"
"""Takes the place of every scheme, host and port: they are neither matched nor kept."""

REQUEST_HEADERS = frozenset({"content-type"})
RESPONSE_HEADERS = frozenset({"content-type", "location", "retry-after", "retry-after-ms", "x-should-retry"})

_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)


class Scrubber:
    """Reduces requests and responses to what a cassette keeps.

    Requests are scrubbed in the same way for recording and for replaying, so a hidden secret still matches.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def request(self, request: HttpRequest) -> HttpRequest:
        """Make a new request of method, path, query, allowed headers and body, without secrets.

        Raises:
            TypeError: Only the HTTP client can turn the body into bytes.
        """
        kind = content_type(request.headers)
        body = body_bytes(request)
        self._learn(request.uri, request.headers, body or b"")
        headers = self._headers(request.headers, REQUEST_HEADERS)
        if found := _BOUNDARY.search(", ".join(values_of(request.headers, ("content-type",)))):
            # Clients choose the boundary at random; to match, it has to be the same each time.
            body = body and body.replace(found[1].encode(), b"boundary")
            headers["content-type"] = ["multipart/form-data; boundary=boundary"]
        uri = ORIGIN + self._target(request.uri)
        return HttpRequest(request.method, uri, self._body(body, kind) if body else None, headers)

    def response(self, response: Response) -> Response:
        """Make a new response of status, allowed headers and body, without secrets.

        Raises:
            RecordingError: The body is still compressed.
        """
        _refuse_encoded(response["headers"])
        self._learn("", response["headers"], response["body"]["string"] or b"")
        body = self._body(response["body"]["string"] or b"", content_type(response["headers"]))
        return {
            "status": {"code": response["status"]["code"], "message": response["status"]["message"] or ""},
            "headers": self._headers(response["headers"], RESPONSE_HEADERS),
            "body": {"string": body},
        }

    def learn(self, one: Recorded) -> None:
        """Look for secrets in a recording, to hide them in others, too."""
        self._learn(one.request.uri, one.request.headers, body_bytes(one.request) or b"")
        self._learn("", one.response["headers"], one.response["body"]["string"] or b"")

    def _learn(self, uri: str, headers: Mapping[str, Any], body: bytes) -> None:
        """Look for secrets first, and hide them then: an echo may stand before what tells of it."""
        text = _decoded(body)[0]
        self._keys.learn(secrets_of(uri, headers, text))
        self._keys.shorten(local_models(text, content_type(headers)))

    def _headers(self, headers: Mapping[str, Any], allowed: frozenset[str]) -> dict[str, list[str]]:
        kept = {name.lower(): header_values(value) for name, value in headers.items() if name.lower() in allowed}
        return {name: [self._header(name, value) for value in kept[name]] for name in sorted(kept)}

    def _header(self, name: str, value: str) -> str:
        if name != "location":
            return self._keys.hide(value)
        url = urlsplit(value)
        host = f"{url.scheme}://{url.netloc.rpartition('@')[2]}" if url.netloc else ""
        return host + self._target(value)

    def _target(self, uri: str) -> str:
        url = urlsplit(uri)
        query = [
            (self._keys.hide(name), self._parameter(name, value))
            for name, value in parse_qsl(url.query, keep_blank_values=True)
        ]
        path = self._keys.hide(url.path) or "/"
        return path + ("?" + urlencode(query, quote_via=quote) if query else "")

    def _parameter(self, name: str, value: str) -> str:
        return self._keys.hide(value) if telling(name) is Telling.NOTHING else PLACEHOLDER

    def _body(self, body: bytes, kind: str) -> bytes:
        text, encoding = _decoded(body)
        return self._text(text, kind).encode(encoding)

    def _text(self, text: str, kind: str) -> str:
        if is_stream(kind):
            text = hide_in_events(text, self._keys, self._values)
        elif is_form(kind):
            text = self._form(text)
        elif kind.startswith("multipart/"):
            text = PART.sub(self._part, text)
        else:
            text = self._json(text)
        return self._keys.hide(text)

    def _form(self, text: str) -> str:
        fields = parse_qsl(text, keep_blank_values=True)
        clean = [(self._keys.hide(name), self._parameter(name, value)) for name, value in fields]
        return text if clean == fields else urlencode(clean)

    def _part(self, part: re.Match[str]) -> str:
        return part[0].removesuffix(part[2]) + self._parameter(part[1], part[2])

    def _json(self, text: str) -> str:
        value = nested(text)
        if value is None:
            return text
        try:
            clean = self._values(value)
        except RecursionError:
            return text
        # Text without secrets stays byte for byte as it came.
        return text if clean == value else json.dumps(clean)

    def _values(self, value: Any, name: str = "") -> Any:
        """Hide the secrets of a JSON value; `name` is that of its member."""
        if isinstance(value, str):
            return PLACEHOLDER if is_secret(name, value) else self._keys.hide(self._json(value))
        if is_array(value):
            return [self._values(item, name) for item in value]
        if is_object(value):
            return {self._keys.hide(key): self._values(child, inner) for key, child, inner in named(name, value)}
        return value


def _decoded(body: bytes) -> tuple[str, str]:
    try:
        return body.decode(), "utf-8"
    except UnicodeDecodeError:
        return body.decode("latin-1"), "latin-1"


def _refuse_encoded(headers: Mapping[str, Any]) -> None:
    if left := [one for one in values_of(headers, ("content-encoding",)) if one.lower() != "identity"]:
        raise RecordingError(
            f"A response is compressed with {', '.join(left)!r}, which cannot be decoded here, so its recording could"
            " not be read or scrubbed. Send 'accept-encoding: gzip', or install the decoder (brotli for 'br')."
        )
