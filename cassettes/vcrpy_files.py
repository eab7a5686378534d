"""Reads the cassettes of vcrpy."""

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from memzoo.cassettes.http import JSON, TOOL, HttpRequest, Recorded, header_values, is_array, is_object, tool_path


def join_pairs(document: Any) -> Any:
    """Return a document with each request beside its response; langchain-tests keeps two lists of them."""
    if not is_object(document) or "interactions" in document:
        return document
    asked, answered = document.get("requests"), document.get("responses")
    if not (is_array(asked) and is_array(answered)):
        return document
    if len(asked) != len(answered):
        several = [
            f"{len(one)} {name}{'s' * (len(one) != 1)}" for one, name in ((asked, "request"), (answered, "response"))
        ]
        raise ValueError(" but ".join(several))
    pairs = zip(asked, answered, strict=True)
    return {"interactions": [{"request": request, "response": response} for request, response in pairs]}


def is_foreign(document: Any) -> bool:
    """Return whether a document is a vcrpy cassette."""
    if not is_object(document) or not is_array(document.get("interactions")):
        return False
    if not document["interactions"]:
        return "tools" in document
    return all(is_object(one) and "uri" in (one.get("request") or {}) for one in document["interactions"])


def foreign_recordings(document: Mapping[str, Any]) -> list[Recorded]:
    """Return the recordings in a vcrpy cassette. If `export_cassette` wrote the cassette, tool calls are included.

    Raises:
        LookupError: A part of the cassette is missing.
        ValueError: A part of the cassette has the wrong form.
    """
    found = [Recorded(_request(one["request"]), _response(one["response"])) for one in document["interactions"]]
    for one in document.get("tools", ()):
        asked, outcome = (json.dumps(one[name]).encode() for name in ("arguments", "outcome"))
        response = {"status": {"code": 200, "message": "OK"}, "headers": JSON, "body": {"string": outcome}}
        found.insert(one["step"] - 1, Recorded(HttpRequest(TOOL, tool_path(one["name"]), asked, JSON), response))
    return found


def foreign_date(recordings: Iterable[Recorded]) -> str:
    """Return the date of a vcrpy cassette, taken from its oldest answer; "" without dates."""
    found = list[str]()
    for value in (value for one in recordings for value in one.response["headers"].get("date", ())):
        with suppress(ValueError):
            found.append(parsedate_to_datetime(value).date().isoformat())
    return min(found, default="")


def _request(request: Mapping[str, Any]) -> HttpRequest:
    return HttpRequest(request["method"], request["uri"], _body(request), _headers(request.get("headers")))


def _response(response: Mapping[str, Any]) -> dict[str, Any]:
    headers = _headers(response.get("headers"))
    status = response.get("status") or {"code": response["status_code"], "message": ""}
    content = _decode(_body(response) or b"", headers.pop("content-encoding", []))
    return {
        "status": {"code": status["code"], "message": status.get("message") or ""},
        "headers": headers,
        "body": {"string": content},
    }


def _decode(content: bytes, encodings: list[str]) -> bytes:
    # Many serializers decode the body but keep the header about its encoding.
    if content[:2] == b"\x1f\x8b" and "gzip" in encodings:
        return gzip.decompress(content)
    return zlib.decompress(content) if content[:2] == b"\x78\x9c" and "deflate" in encodings else content


def _headers(headers: Mapping[str, Any] | None) -> dict[str, list[str]]:
    return {name.lower(): header_values(value) for name, value in (headers or {}).items()}


def _body(message: Mapping[str, Any]) -> bytes | None:
    if "parsed_body" in message:
        return json.dumps(message["parsed_body"], ensure_ascii=False).encode()
    body: Any = message.get("body", message.get("content"))
    if is_object(body):
        body = body.get("string", body.get("base64_string"))
    return body.encode() if isinstance(body, str) else body and bytes(body)
