"""The file format of a cassette: a serializer for vcrpy that writes what a person can review."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memzoo.cassettes import readable
from memzoo.cassettes.errors import CassetteFormatError
from memzoo.cassettes.facts import facts_of
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.cassettes.wire import content_type, is_json
from memzoo.stores.base import utc_now

__all__ = ["ReadableSerializer"]

_VERSION = 1
_TITLE = "# Recorded by memzoo.cassettes. Do not edit: record it again.\n"
_OFFLINE = "recorded against an offline model"


class ReadableSerializer:
    """Writes and reads cassettes; hand it to vcrpy's `register_serializer` to use the format elsewhere.

    A JSON body becomes a mapping, any other text stays as it is, bytes that are no text become base64.
    Loading gives back equal JSON and the same text and bytes.
    """

    def __init__(self, *, clock: Callable[[], datetime] = utc_now, note: str | None = None) -> None:
        self.clock = clock
        self.note = note

    def serialize(self, cassette_dict: Mapping[str, Any]) -> str:
        """The text of a cassette, from what vcrpy hands to a serializer."""
        interactions = cassette_dict["interactions"]
        document = self._header(interactions) | {"interactions": [_written(item) for item in interactions]}
        return _TITLE + readable.dump(document)

    def deserialize(self, cassette_string: str) -> dict[str, Any]:
        """What vcrpy expects from a serializer, from the text of a cassette.

        Raises:
            CassetteFormatError: The text is not a cassette.
        """
        try:
            document = readable.load(cassette_string)
            header = {name: document[name] for name in document if name != "interactions"}
            if header["version"] != _VERSION:
                raise CassetteFormatError(f"version {header['version']!r} is not {_VERSION}, the one that is known")
            interactions = [_read(item) for item in document["interactions"]]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise CassetteFormatError(f"it does not read as a cassette of memzoo: {error}") from error
        return {"version": _VERSION, "interactions": interactions, "metadata": header}

    def _header(self, interactions: list[dict[str, Any]]) -> dict[str, Any]:
        models = facts_of(item["response"] for item in interactions).models
        offline = bool(models) and all("offline" in model.lower() for model in models)
        note = self.note or (_OFFLINE if offline else None)
        header = {"version": _VERSION, "recorder": "memzoo.cassettes", "recorded": self.clock().date().isoformat()}
        return header | {"models": list(models)} | ({"note": note} if note else {})


def _written(interaction: Mapping[str, Any]) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    status = response["status"]
    return {
        "request": {
            "method": request["method"],
            "url": request["uri"].removeprefix(ORIGIN),
            **_written_message(request["headers"], request["body"]),
        },
        "response": {
            "status": f"{status['code']} {status['message'] or ''}".strip(),
            **_written_message(response["headers"], response["body"]["string"]),
        },
    }


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
    url = request["url"]
    return {
        "request": {
            "method": request["method"],
            "uri": ORIGIN + url if url.startswith("/") else url,
            "headers": _read_headers(request),
            "body": _read_body(request),
        },
        "response": {
            "status": {"code": int(code), "message": message},
            "headers": _read_headers(response),
            "body": {"string": _read_body(response)},
        },
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
    """The value of a JSON text that a mapping can stand for without loss."""
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
