"""Removes secrets, and everything that a replay does not need, from requests and responses.

In a request, everything that may be a secret is hidden. In an answer, only access keys are hidden, because the program
needs the rest; a warning tells where keys were hidden.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from memzoo.cassettes.answers import hide_in_answer, local_models
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.http import (
    HttpRequest,
    Response,
    body_bytes,
    content_type,
    header_values,
    is_lines,
    values_of,
)
from memzoo.cassettes.places import Change, Found, fields, in_json, in_parameters, in_parts, json_in, outside_the_body
from memzoo.cassettes.secrets import PLACEHOLDER, Keys

ORIGIN = "http://recorded"
"""The replacement for every request's scheme, host and port, which are neither matched nor recorded."""

REQUEST_HEADERS = frozenset({"content-type"})
RESPONSE_HEADERS = frozenset({"content-type", "location", "retry-after", "retry-after-ms", "x-should-retry"})

_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)


class Scrubber:
    """A filter that removes secrets and unneeded parts from requests and responses.

    Requests are filtered in the same way when recorded and when replayed, so that they still match.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Create a scrubber with known secrets."""
        secrets = list(secrets)
        self._of_requests, self._of_answers = Keys(secrets), Keys(secrets)

    @property
    def known(self) -> int:
        """The number of known secrets. When it grows, earlier recordings must be searched for the new secrets."""
        return len(self._of_requests) + len(self._of_answers)

    def request(self, request: HttpRequest) -> HttpRequest:
        """Return a request without secrets, and with only the headers that a cassette keeps.

        Raises:
            TypeError: The body is of a type that only the HTTP client can read, such as an asynchronous iterator.
        """
        known, kind, body = self.known, content_type(request.headers), body_bytes(request) or b""
        self._learn_key(outside_the_body(request.uri, request.headers))
        self._of_requests.learn(in_parameters(_decode(body)[0]))
        kept = _kept(request.headers, REQUEST_HEADERS)
        headers = {name: list(map(self._of_requests.hide, values)) for name, values in kept.items()}
        if found := _BOUNDARY.search(", ".join(values_of(request.headers, "content-type"))):
            # Clients choose the boundary at random, but a match needs a constant boundary.
            body = body.replace(found[1].encode(), b"boundary")
            headers["content-type"] = ["multipart/form-data; boundary=boundary"]
        uri = ORIGIN + self._target(request.uri, self._change)
        clean = HttpRequest(request.method, uri, self._body(body, kind) or None, headers)
        # Scrub again if the request revealed a secret: the secret may also occur before the revealing text.
        return clean if self.known == known else self.request(request)

    def response(self, response: Response) -> tuple[Response, frozenset[str]]:
        """Return a response without access keys, and with only the headers that a cassette keeps.

        Returns:
            The response, and a text for each removed key, such as "the header location has a key".

        Raises:
            CassetteError: The body is still compressed.
        """
        headers, kind = response["headers"], content_type(response["headers"])
        _refuse_encoded(headers)
        self._of_requests.learn(outside_the_body("", headers))
        text, encoding = _decode(response["body"]["string"] or b"")
        for path in local_models(text, kind):
            self._change(path, Found.LOCAL_MODEL)
        said, hidden = hide_in_answer(text, kind, self._of_answers)
        kept = _kept(headers, RESPONSE_HEADERS)
        if "location" in kept and (clean := list(map(self._location, kept["location"]))) != kept["location"]:
            kept["location"] = clean
            hidden |= {"the header location has a key"}
        status = {"code": response["status"]["code"], "message": response["status"]["message"] or ""}
        return {"status": status, "headers": kept, "body": {"string": said.encode(encoding)}}, hidden

    def _learn_key(self, values: Iterable[str]) -> None:
        """Add keys that the program sends to the known secrets, to hide the keys in answers, too."""
        for value in values:
            self._of_requests.learn([value])
            self._of_answers.learn([value])

    def _change(self, text: str, found: Found) -> str:
        if found is Found.LOCAL_MODEL:
            self._of_requests.shorten(text)
            self._of_answers.shorten(text)
        if found is Found.KEY:
            self._learn_key([text, text.rsplit(" ", maxsplit=1)[-1]])  # the key in "Bearer sk-..."
        if found is Found.TOLD and not re.search(r"\s", text):
            self._of_requests.learn([text])
        return PLACEHOLDER if found in {Found.KEY, Found.TOLD} else self._of_requests.hide(text)

    def _change_told(self, text: str, found: Found) -> str:
        return self._change(text, Found.TOLD if found is Found.KEY else found)

    def _location(self, value: str) -> str:
        url = urlsplit(value)
        host = f"{url.scheme}://{url.netloc.rpartition('@')[2]}" if url.netloc else ""
        return host + self._target(value, self._change_told)

    def _target(self, uri: str, change: Change) -> str:
        url = urlsplit(uri)
        query = fields(parse_qsl(url.query, keep_blank_values=True), change)
        return (self._of_requests.hide(url.path) or "/") + ("?" + urlencode(query, quote_via=quote) if query else "")

    def _body(self, body: bytes, kind: str) -> bytes:
        text, encoding = _decode(body)
        text = _in_body(text, kind, self._change)
        # The texts of JSON and forms are hidden already; the syntax around them is not part of a secret.
        is_whole = not _is_form(kind) and json_in(text) is None
        return (self._of_requests.hide if is_whole else self._of_requests.hide_known)(text).encode(encoding)


def _kept(headers: Mapping[str, Any], allowed: frozenset[str]) -> dict[str, list[str]]:
    return {name.lower(): header_values(headers[name]) for name in sorted(headers) if name.lower() in allowed}


def _is_form(kind: str) -> bool:
    return kind.startswith("application/x-www-form-urlencoded")


def _in_body(text: str, kind: str, change: Change) -> str:
    if _is_form(kind):
        form = parse_qsl(text, keep_blank_values=True)
        changed = fields(form, change)
        return text if changed == form else urlencode(changed)
    if kind.startswith("multipart/"):
        return in_parts(text, change)
    lines = text.split("\n") if is_lines(kind) else [text]
    return "\n".join(in_json(line, change) for line in lines)


def _decode(body: bytes) -> tuple[str, str]:
    try:
        return body.decode(), "utf-8"
    except UnicodeDecodeError:
        return body.decode("latin-1"), "latin-1"


def _refuse_encoded(headers: Mapping[str, Any]) -> None:
    if left := [one for one in values_of(headers, "content-encoding") if one.lower() != "identity"]:
        raise CassetteError(
            f"A response is compressed with {', '.join(left)!r}, which cannot be decoded here, so its recording could"
            " not be read or scrubbed. Send 'accept-encoding: gzip', or install the decoder (brotli for 'br')."
        )
