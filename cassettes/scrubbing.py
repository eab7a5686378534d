"""Reduces requests and responses to what replay needs, without secrets."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from memzoo.cassettes.errors import RecordingError
from memzoo.cassettes.http import (
    HttpRequest,
    Response,
    body_bytes,
    content_type,
    header_values,
    is_array,
    is_json,
    is_object,
    is_stream,
    values_of,
)
from memzoo.cassettes.secrets import PLACEHOLDER, Keys, hide_in_events

__all__ = ["ORIGIN", "REQUEST_HEADERS", "RESPONSE_HEADERS", "Scrubber"]

ORIGIN = "http://recorded"
"""Takes the place of every scheme, host and port: they are neither matched nor kept."""

REQUEST_HEADERS = frozenset({"content-type"})
RESPONSE_HEADERS = frozenset({"content-type", "location", "retry-after", "retry-after-ms", "x-should-retry"})

_CREDENTIALS = frozenset({"authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key"})
_SECRET_FIELD = re.compile(
    r"(api[-_]?key|key|authorization|(access|refresh|id)[-_]?token|client[-_]?secret|password|sig|signature)",
    re.IGNORECASE,
)
_SECRET_MEMBER = re.compile(r"(api[-_]?key|authorization|access[-_]?token|client[-_]?secret|password)", re.IGNORECASE)
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
        # Of "Bearer sk-...", the key.
        self._keys.learn(value.split(" ")[-1] for value in values_of(request.headers, _CREDENTIALS))
        kind = content_type(request.headers)
        body, headers = body_bytes(request), self._headers(request.headers, REQUEST_HEADERS)
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
        body = self._body(response["body"]["string"] or b"", content_type(response["headers"]))
        return {
            "status": {"code": response["status"]["code"], "message": response["status"]["message"] or ""},
            "headers": self._headers(response["headers"], RESPONSE_HEADERS),
            "body": {"string": body},
        }

    def _headers(self, headers: Mapping[str, Any], allowed: frozenset[str]) -> dict[str, list[str]]:
        kept = {name.lower(): header_values(value) for name, value in headers.items() if name.lower() in allowed}
        return {name: [self._keys.hide(value) for value in kept[name]] for name in sorted(kept)}

    def _target(self, uri: str) -> str:
        url = urlsplit(uri)
        query = [(name, self._parameter(name, value)) for name, value in parse_qsl(url.query, keep_blank_values=True)]
        path = self._keys.hide(url.path) or "/"
        return path + ("?" + urlencode(query, quote_via=quote) if query else "")

    def _parameter(self, name: str, value: str) -> str:
        return PLACEHOLDER if _SECRET_FIELD.fullmatch(name) else self._keys.hide(value)

    def _body(self, body: bytes, kind: str) -> bytes:
        try:
            return self._text(body.decode(), kind).encode()
        except UnicodeDecodeError:
            return self._keys.hide(body.decode("latin-1")).encode("latin-1")

    def _text(self, text: str, kind: str) -> str:
        if is_stream(kind):
            text = hide_in_events(text, self._keys, self._values)
        elif is_json(kind):
            text = self._json(text)
        return self._keys.hide(text)

    def _json(self, text: str) -> str:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        clean = self._values(value)
        # Text without secrets stays byte for byte as it came.
        return text if clean == value else json.dumps(clean)

    def _values(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._keys.hide(value)
        if is_array(value):
            return [self._values(item) for item in value]
        if is_object(value):
            return {self._keys.hide(key): self._member(key, child) for key, child in value.items()}
        return value

    def _member(self, key: str, child: Any) -> Any:
        hidden = isinstance(child, str) and child and _SECRET_MEMBER.fullmatch(key)
        return PLACEHOLDER if hidden else self._values(child)


def _refuse_encoded(headers: Mapping[str, Any]) -> None:
    if left := [one for one in values_of(headers, ("content-encoding",)) if one.lower() != "identity"]:
        raise RecordingError(
            f"A response is compressed with {', '.join(left)!r}, which cannot be decoded here, so its recording could"
            " not be read or scrubbed. Send 'accept-encoding: gzip', or install the decoder (brotli for 'br')."
        )
