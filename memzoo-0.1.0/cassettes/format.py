"""The file format of a cassette: YAML that a person can review.

Version 2 writes long texts once, long vectors as arrays, and how a stream arrived. Version 1 is still read.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from memzoo.cassettes.arrival import Arrival, event_sizes
from memzoo.cassettes.errors import CassetteFormatError
from memzoo.cassettes.foreign import foreign_recordings, is_foreign
from memzoo.cassettes.http import HttpRequest, Recorded, content_type, is_json
from memzoo.cassettes.recording_stats import facts_of
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.cassettes.yaml_text import dump, load
from memzoo.stores.base import utc_now

__all__ = ["ReadableSerializer", "dump", "load", "read_cassette", "write_cassette"]

_VERSION = 2
_KNOWN = (1, 2)
_EVENTS = "events"
_TITLE = "# Recorded by memzoo.cassettes. Do not edit: record it again.\n"
_OFFLINE = "recorded against an offline model"


def read_cassette(text: str) -> tuple[dict[str, Any], list[Recorded]]:
    """Read a cassette's header, and what it has recorded.

    Raises:
        CassetteFormatError: The text is not a cassette.
    """
    try:
        document = load(text)
        if is_foreign(document):
            return {"recorder": "vcrpy"}, foreign_recordings(document)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CassetteFormatError(f"it does not read as a cassette of vcrpy: {error}") from error
    head, interactions = _parsed(document)
    return head, [_recorded(one) for one in interactions]


def write_cassette(recordings: Iterable[Recorded], serializer: "ReadableSerializer") -> str:
    """Write what was recorded as a cassette."""
    return serializer.serialize({"interactions": [_interaction(one) for one in recordings]})


class ReadableSerializer:
    """Writes and reads cassettes; pass it to vcrpy's `register_serializer` to use the format elsewhere.

    A JSON body becomes a mapping, any other text stays as it is, and bytes that are not text become base64.
    Loading returns equal JSON and the same text and bytes.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] = utc_now,
        note: str | None = None,
        ignored: Iterable[str] = (),
        head: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a serializer.

        Args:
            clock: Returns the date of the recording.
            note: A line for the header.
            ignored: What of a request may vary.
            head: The header of an older cassette, whose date and notes are to be kept.
        """
        self.clock = clock
        self.note = note
        self.ignored = tuple(ignored)
        self.head = dict(head or {})

    def serialize(self, cassette_dict: Mapping[str, Any]) -> str:
        """Write a cassette from what vcrpy passes to a serializer."""
        interactions = cassette_dict["interactions"]
        document = self._header(interactions) | {"interactions": [_written(item) for item in interactions]}
        return _TITLE + dump(document, compact=True)

    def deserialize(self, cassette_string: str) -> dict[str, Any]:
        """Read a cassette into what vcrpy expects from a serializer.

        Raises:
            CassetteFormatError: The text is not a cassette.
        """
        try:
            head, interactions = _parsed(load(cassette_string))
        except ValueError as error:
            raise CassetteFormatError(f"it does not read as a cassette of memzoo: {error}") from error
        for one in interactions:
            del one["caller"], one["arrival"]
        return {"version": head["version"], "interactions": interactions, "metadata": head}

    def _header(self, interactions: list[dict[str, Any]]) -> dict[str, Any]:
        models = facts_of(item["response"] for item in interactions).models
        offline = bool(models) and all("offline" in model.lower() for model in models)
        note = self.note or (_OFFLINE if offline else None)
        header = {"version": _VERSION, "recorder": "memzoo.cassettes", "recorded": self.clock().date().isoformat()}
        ignored = {"ignored": list(self.ignored)} if self.ignored else {}
        kept = {name: value for name, value in self.head.items() if name not in {"version", "recorder", "models"}}
        return header | {"models": list(models)} | ({"note": note} if note else {}) | ignored | kept


def _parsed(document: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        head = {name: document[name] for name in document if name != "interactions"}
        if head["version"] not in _KNOWN:
            raise CassetteFormatError(f"version {head['version']!r} is none of {_KNOWN}, which are known")
        return head, [_read(item) for item in document["interactions"]]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise CassetteFormatError(f"it does not read as a cassette of memzoo: {error}") from error


def _interaction(one: Recorded) -> dict[str, Any]:
    request = vars(one.request) | {"body": _as_text(one.request.body)}
    response = one.response | {"body": {"string": _as_text(one.response["body"]["string"])}}
    return {"request": request, "response": response, "caller": one.caller, "arrival": one.arrival}


def _recorded(interaction: Mapping[str, Any]) -> Recorded:
    request, response = interaction["request"], interaction["response"]
    return Recorded(
        HttpRequest(**request | {"body": _as_bytes(request["body"])}),
        response | {"body": {"string": _as_bytes(response["body"]["string"])}},
        interaction["caller"],
        interaction["arrival"],
    )


def _as_text(body: bytes | None) -> str | bytes | None:
    try:
        return body and body.decode()
    except UnicodeDecodeError:
        return body


def _as_bytes(body: str | bytes | None) -> bytes | None:
    return body.encode() if isinstance(body, str) else body


def _written(interaction: Mapping[str, Any]) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    status = response["status"]
    return {
        "request": _written_request(request, interaction.get("caller")),
        "response": {
            "status": f"{status['code']} {status['message'] or ''}".strip(),
            **_written_message(response["headers"], response["body"]["string"]),
            **_written_arrival(interaction.get("arrival") or Arrival(), response["body"]["string"]),
        },
    }


def _written_request(request: Mapping[str, Any], caller: str | None) -> dict[str, Any]:
    return {
        "method": request["method"],
        "url": request["uri"].removeprefix(ORIGIN),
        **({"caller": caller} if caller else {}),
        **_written_message(request["headers"], request["body"]),
    }


def _written_arrival(arrival: Arrival, body: str | bytes | None) -> dict[str, Any]:
    content, sizes = _as_bytes(body) or b"", arrival.sizes
    written: dict[str, Any] = {}
    if len(sizes) > 1:
        written["chunks"] = _EVENTS if sizes == event_sizes(content) else list(sizes)
    if arrival.seconds:
        written["seconds"] = list(arrival.seconds)
    return written | ({"broken": arrival.broken} if arrival.broken else {})


def _read_arrival(response: Mapping[str, Any], body: str | bytes | None) -> Arrival:
    chunks = response.get("chunks", [])
    sizes = event_sizes(_as_bytes(body) or b"") if chunks == _EVENTS else tuple(map(int, chunks))
    return Arrival(sizes, tuple(map(float, response.get("seconds", []))), str(response.get("broken", "")))


def _written_message(headers: Mapping[str, list[str]], body: str | bytes | None) -> dict[str, Any]:
    shown = {name: values[0] if len(values) == 1 else list(values) for name, values in headers.items()}
    return ({"headers": shown} if shown else {}) | _written_body(body, content_type(headers))


def _written_body(body: str | bytes | None, kind: str) -> dict[str, Any]:
    if body is None:
        return {}
    if isinstance(body, str) and is_json(kind):
        try:
            return {"parsed_body": _exact_json(body)}
        except (ValueError, RecursionError):
            pass
    return {"body": body}


def _read(interaction: Mapping[str, Any]) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    code, _, message = str(response["status"]).partition(" ")
    body = _read_body(response)
    status = {"code": int(code), "message": message}
    return {
        "request": _read_request(request),
        "response": {"status": status, "headers": _read_headers(response), "body": {"string": body}},
        "caller": str(request.get("caller", "")),
        "arrival": _read_arrival(response, body),
    }


def _read_request(request: Mapping[str, Any]) -> dict[str, Any]:
    url = request["url"]
    return {
        "method": request["method"],
        "uri": ORIGIN + url if url.startswith("/") else url,
        "headers": _read_headers(request),
        "body": _read_body(request),
    }


def _read_headers(message: Mapping[str, Any]) -> dict[str, list[str]]:
    headers = message.get("headers", {})
    return {name: value if isinstance(value, list) else [value] for name, value in headers.items()}


def _read_body(message: Mapping[str, Any]) -> str | bytes | None:
    if "parsed_body" in message:
        return json.dumps(message["parsed_body"], ensure_ascii=False, separators=(",", ":"))
    body: str | bytes | None = message.get("body")
    return body


def _exact_json(text: str) -> Any:
    """Parse JSON that a mapping can represent without loss; refuse any other."""
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(digits)
    return value
