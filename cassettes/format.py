"""The file format of a cassette: YAML that a person can review.

Text with line breaks becomes a block, a vector stays on one line, and nothing is reordered.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

import yaml

from memzoo.cassettes.errors import CassetteFormatError
from memzoo.cassettes.http import HttpRequest, Response, content_type, is_json
from memzoo.cassettes.recording_stats import facts_of
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.stores.base import utc_now

__all__ = ["ReadableSerializer", "dump", "load", "read_recordings", "write_recordings"]

_VERSION = 1
_TITLE = "# Recorded by memzoo.cassettes. Do not edit: record it again.\n"
_OFFLINE = "recorded against an offline model"

# Characters that a block shows as they are and that every YAML reader gives back unchanged. Others, such as a
# carriage return or a line separator, are escaped. A first line that begins with a tab confuses libyaml.
_BLOCK = re.compile(
    r"(?!\t)[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*",
)
_ENDLESS = 2**31
_dump: Any = yaml.dump  # its type is only partly known
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def dump(value: Any) -> str:
    """Write JSON as YAML, in its own order."""
    options: dict[str, Any] = {
        "sort_keys": False,
        "allow_unicode": True,
        "width": _ENDLESS,
        "default_flow_style": False,
    }
    return str(_dump(value, Dumper=_Dumper, **options))


def load(text: str) -> Any:
    """Read what `dump` wrote; only plain values, never objects.

    Raises:
        ValueError: The text is not YAML, or has tags that only an unsafe reader would follow.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def read_recordings(text: str) -> list[tuple[HttpRequest, Response]]:
    """Read the requests and responses of a cassette.

    Raises:
        CassetteFormatError: The text is not a cassette.
    """
    interactions = ReadableSerializer().deserialize(text)["interactions"]
    return [
        (
            HttpRequest(**one["request"] | {"body": _as_bytes(one["request"]["body"])}),
            _with_body(one["response"], _as_bytes),
        )
        for one in interactions
    ]


def write_recordings(recordings: Iterable[tuple[HttpRequest, Response]], serializer: "ReadableSerializer") -> str:
    """Write requests and responses as a cassette."""
    interactions = [
        {"request": asdict(request) | {"body": _as_text(request.body)}, "response": _with_body(response, _as_text)}
        for request, response in recordings
    ]
    return serializer.serialize({"interactions": interactions})


class ReadableSerializer:
    """Writes and reads cassettes; pass it to vcrpy's `register_serializer` to use the format elsewhere.

    A JSON body becomes a mapping, any other text stays as it is, and bytes that are not text become base64.
    Loading returns equal JSON and the same text and bytes.
    """

    def __init__(self, *, clock: Callable[[], datetime] = utc_now, note: str | None = None) -> None:
        self.clock = clock
        self.note = note

    def serialize(self, cassette_dict: Mapping[str, Any]) -> str:
        """Write a cassette from what vcrpy passes to a serializer."""
        interactions = cassette_dict["interactions"]
        document = self._header(interactions) | {"interactions": [_written(item) for item in interactions]}
        return _TITLE + dump(document)

    def deserialize(self, cassette_string: str) -> dict[str, Any]:
        """Read a cassette into what vcrpy expects from a serializer.

        Raises:
            CassetteFormatError: The text is not a cassette.
        """
        try:
            document = load(cassette_string)
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


class _Dumper(yaml.SafeDumper):
    def analyze_scalar(self, scalar: str) -> Any:
        analysis = super().analyze_scalar(scalar)
        # PyYAML escapes a text with a tab, or with spaces before a line break; a block keeps both.
        analysis.allow_block = "\n" in scalar and _BLOCK.fullmatch(scalar) is not None
        return analysis

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    if _BLOCK.fullmatch(text) is None:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _represent_list(dumper: Any, items: list[Any]) -> Any:
    numbers = bool(items) and all(isinstance(item, int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=numbers)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)


def _with_body(response: Response, convert: Callable[[Any], str | bytes | None]) -> Response:
    return response | {"body": {"string": convert(response["body"]["string"])}}


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
