"""Reduces requests and responses to what replay needs, without secrets."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from memzoo.cassettes.errors import RecordingError
from memzoo.cassettes.http import (
    EVENT,
    HttpRequest,
    Response,
    body_bytes,
    content_type,
    events,
    header_values,
    is_array,
    is_lines,
    is_object,
    is_stream,
    values_of,
)
from memzoo.cassettes.places import Change, Found, fields, in_json, in_parts, json_in, outside_the_body, texts
from memzoo.cassettes.secrets import PLACEHOLDER, Keys

__all__ = ["ORIGIN", "REQUEST_HEADERS", "RESPONSE_HEADERS", "Scrubber", "hide_in_events"]

ORIGIN = "http://recorded"
"""Takes the place of every scheme, host and port: they are neither matched nor kept."""

REQUEST_HEADERS = frozenset({"content-type"})
RESPONSE_HEADERS = frozenset({"content-type", "location", "retry-after", "retry-after-ms", "x-should-retry"})

# Members whose texts later events continue; the last three are Ollama's.
_STREAMED = frozenset({"delta", "text", "content", "response", "thinking"})
_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)

_Piece: TypeAlias = tuple[Any, Any]
"""A string that continues one of an earlier event: what it lies in, and under which key."""


class Scrubber:
    """Reduces requests and responses to what a cassette keeps.

    Requests are scrubbed in the same way for recording and for replaying, so a hidden secret still matches.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    @property
    def known(self) -> int:
        """How many secrets are known; what was scrubbed when there were as many needs no more scrubbing."""
        return len(self._keys)

    def request(self, request: HttpRequest) -> HttpRequest:
        """Make a new request of method, path, query, allowed headers and body, without secrets.

        Raises:
            TypeError: Only the HTTP client can turn the body into bytes.
        """
        known, kind, body = self.known, content_type(request.headers), body_bytes(request) or b""
        self._keys.learn(outside_the_body(request.uri, request.headers, _decode(body)[0]))
        headers = self._headers(request.headers, REQUEST_HEADERS)
        if found := _BOUNDARY.search(", ".join(values_of(request.headers, "content-type"))):
            # Clients choose the boundary at random; to match, it has to be the same each time.
            body = body.replace(found[1].encode(), b"boundary")
            headers["content-type"] = ["multipart/form-data; boundary=boundary"]
        clean = HttpRequest(request.method, ORIGIN + self._target(request.uri), self._body(body, kind) or None, headers)
        # Once more if it told of a secret: an echo may stand before what tells of it.
        return clean if self.known == known else self.request(request)

    def response(self, response: Response) -> Response:
        """Make a new response of status, allowed headers and body, without secrets.

        Raises:
            RecordingError: The body is still compressed.
        """
        headers, body, known = response["headers"], response["body"]["string"] or b"", self.known
        _refuse_encoded(headers)
        self._keys.learn(outside_the_body("", headers, _decode(body)[0]))
        clean = {
            "status": {"code": response["status"]["code"], "message": response["status"]["message"] or ""},
            "headers": self._headers(headers, RESPONSE_HEADERS),
            "body": {"string": self._body(body, content_type(headers))},
        }
        return clean if self.known == known else self.response(response)

    def _change(self, text: str, found: Found) -> str:
        if found is Found.SECRET:
            self._keys.learn([text, text.rsplit(" ", maxsplit=1)[-1]])  # of "Bearer sk-...", the key
            return PLACEHOLDER
        if found is Found.LOCAL_MODEL:
            self._keys.shorten(text)
        return self._keys.hide(text)

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
        query = fields(parse_qsl(url.query, keep_blank_values=True), self._change)
        return (self._keys.hide(url.path) or "/") + ("?" + urlencode(query, quote_via=quote) if query else "")

    def _body(self, body: bytes, kind: str) -> bytes:
        text, encoding = _decode(body)
        if is_stream(kind) or is_lines(kind):
            begin = EVENT if is_stream(kind) else ""
            text = hide_in_events(text, self._keys, lambda event: texts(event, self._change), begin)
            return self._keys.hide_known(text).encode(encoding)
        text = _in_body(text, kind, self._change)
        # Of JSON, the texts are hidden already; what stands around them is JSON's.
        hide = self._keys.hide_known if json_in(text) is not None else self._keys.hide
        return hide(text).encode(encoding)


def _in_body(text: str, kind: str, change: Change) -> str:
    if kind.startswith("application/x-www-form-urlencoded"):
        form = parse_qsl(text, keep_blank_values=True)
        changed = fields(form, change)
        return text if changed == form else urlencode(changed)
    return in_parts(text, change) if kind.startswith("multipart/") else in_json(text, change)


def _decode(body: bytes) -> tuple[str, str]:
    try:
        return body.decode(), "utf-8"
    except UnicodeDecodeError:
        return body.decode("latin-1"), "latin-1"


def _refuse_encoded(headers: Mapping[str, Any]) -> None:
    if left := [one for one in values_of(headers, "content-encoding") if one.lower() != "identity"]:
        raise RecordingError(
            f"A response is compressed with {', '.join(left)!r}, which cannot be decoded here, so its recording could"
            " not be read or scrubbed. Send 'accept-encoding: gzip', or install the decoder (brotli for 'br')."
        )


def hide_in_events(text: str, keys: Keys, hide_values: Callable[[Any], Any], begin: str = EVENT) -> str:
    """Hide the secrets of a stream: those of an event, as `hide_values` does, those in pieces, and those in between.

    `begin` is as for `events`.
    """
    lines = text.split("\n")
    before, after = dict(events(text, begin)), dict(events(text, begin))
    for pieces in _streams(after):
        hide_values(_text(pieces))  # JSON that arrives in pieces may tell of secrets
        _hide_in_pieces(pieces, keys)
    for number, raw in after.items():
        event = hide_values(raw)
        if event != before[number]:
            ending = "\r" if lines[number].endswith("\r") else ""
            lines[number] = f"{begin}{' ' if begin else ''}{json.dumps(event)}{ending}"
    between, whole = "\n".join(line for number, line in enumerate(lines) if number not in after), "\n".join(lines)
    return whole if keys.hide(between) == between else keys.hide(whole)


def _text(pieces: list[_Piece]) -> str:
    return "".join(holder[key] for holder, key in pieces)


def _streams(found: dict[int, dict[str, Any]]) -> Iterable[list[_Piece]]:
    """List the texts that events spell out in pieces."""
    streams: defaultdict[tuple[Any, ...], list[_Piece]] = defaultdict(list)
    for event in found.values():
        about = (event.get("type"), event.get("item_id"), event.get("output_index"), event.get("content_index"))
        for path, piece in _pieces(event):
            streams[*about, *path].append(piece)
    return streams.values()


def _pieces(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], _Piece]]:
    """Find the strings of an event that later events continue, each with its path."""
    for key, child, name in _children(value):
        here = (*path, name)
        if isinstance(child, str) and not _STREAMED.isdisjoint(here):
            yield here, (value, key)
        else:
            yield from _pieces(child, here)


def _children(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    if is_object(value):
        yield from ((key, child, key) for key, child in value.items())
    if is_array(value):
        # An event lists only what it adds to: its `index`, not its place in the list, tells which choice or call it is.
        for place, child in enumerate(value):
            yield place, child, child.get("index", place) if is_object(child) else place


def _hide_in_pieces(pieces: list[_Piece], keys: Keys) -> None:
    letters = list(_text(pieces))
    spans = keys.spans("".join(letters))
    for start, end in spans:
        # The first letter gives way to the placeholder, the others to nothing: all pieces keep their bounds.
        letters[start:end] = [PLACEHOLDER, *[""] * (end - start - 1)]
    rest = iter(letters)
    for holder, key in pieces if spans else ():
        holder[key] = "".join(islice(rest, len(holder[key])))
