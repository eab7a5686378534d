"""Reads and writes the file format of cassettes: YAML that a person can review.

Each long text is written only once in a file, and a long vector is a single line of packed numbers.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from memzoo.cassettes.chunks import Arrival, event_sizes
from memzoo.cassettes.conversation import Statistics, statistics_of
from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.files import as_text, read_file, shorten_path, write_file
from memzoo.cassettes.http import TOOL, HttpRequest, Recorded, content_type, header_values, is_array, is_json, is_object
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.cassettes.vcrpy_files import foreign_date, foreign_recordings, is_foreign, join_pairs
from memzoo.cassettes.yaml_text import dump, load
from memzoo.stores.base import utc_now

_VERSION = 1
_EVENTS = "events"
_TITLE = "# Recorded by memzoo.cassettes. Do not edit: record it again.\n"
# Other kits write only the first of these marks.
_BEGINS = re.compile(re.escape(_TITLE.strip()) + r"\s+---\s")
_ENDS = re.compile(r"\n\.\.\.\s*\Z")
_OFFLINE = "recorded against an offline model"
# No line of a cassette begins with these.
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)


class CassetteFile(NamedTuple):
    """A cassette's file: its header and its recordings."""

    head: dict[str, Any]
    recordings: list[Recorded]
    path: Path

    @property
    def statistics(self) -> Statistics:
        """The number of responses, with their models and tokens."""
        return statistics_of(one.response for one in self.recordings)


def read_cassette(path: Path) -> CassetteFile:
    """Read a cassette of this kit or of vcrpy.

    Raises:
        CassetteError: The file cannot be read, or is not a cassette.
    """
    try:
        head, recordings = read_text(read_file(path))
        return CassetteFile(head, [_with_bodies(one, _as_bytes) for one in recordings], path)
    except (CassetteError, OSError, EOFError, ValueError, zlib.error) as error:
        told = CassetteError(f"{shorten_path(path)}: {error}")
        told.is_other_kind = getattr(error, "is_other_kind", False)
        raise told from error


def write_cassette(
    path: Path, recordings: Iterable[Recorded], head: Mapping[str, Any], *, limit: int | None = None
) -> None:
    """Write recordings as a cassette, of at most `limit` bytes.

    `head` has further fields of the header: `recorded` (the date, by default today), `note`, `ignored` (the rules) and
    `counts` (token counts).

    Raises:
        CassetteError: The file would exceed the limit, or cannot be written; an existing file is unchanged.
    """
    write_file(path, write_text([_with_bodies(one, as_text) for one in recordings], head), limit=limit)


def read_text(text: str) -> tuple[dict[str, Any], list[Recorded]]:
    """Return the header and the recordings in the text of a cassette.

    Raises:
        CassetteError: The text is not a cassette.
    """
    if _CONFLICT.search(text):
        raise CassetteError("it contains the markers of a merge conflict; keep one side completely, or record it again")
    if _BEGINS.match(text) and not _ENDS.search(text):
        raise CassetteError("it is cut off: the line '...' at its end is missing; restore it, or record it again")
    try:
        document = join_pairs(load(text))
        if is_foreign(document):
            recordings = _checked(foreign_recordings(document))
            return {"version": 1, "recorder": "vcrpy", **_drop_empty(recorded=foreign_date(recordings))}, recordings
        items = _items(document)
        head = {name: document[name] for name in document if name != "interactions"}
        _check_counts(head.get("counts", {}))
        return head, _checked([_read(item) for item in items])
    except KeyError as error:
        raise CassetteError(f"it is not a valid cassette of memzoo: {error} is missing") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise CassetteError(f"it is not a valid cassette of memzoo: {error}") from error


def _items(document: Any) -> list[dict[str, Any]]:
    """Return the recordings in a document; for any other document, raise an error that describes its content."""
    if not is_object(document):
        raise TypeError("it is empty" if document is None else "it does not begin with a key, such as version: 1")
    if document["version"] != _VERSION:
        raise ValueError(f"its version is {document['version']!r}, but this memzoo knows only {_VERSION}")
    items = document["interactions"]
    if not is_array(items):
        raise TypeError("'interactions' is not a list")
    if items and all(is_object(item) and "request" not in item for item in items):
        error = CassetteError("it does not record HTTP; gRPC and WebSockets are neither recorded nor replayed")
        error.is_other_kind = True
        raise error
    for number, item in enumerate(items, 1):
        for name in ("request", "response"):
            if not is_object(item) or not is_object(item.get(name)):
                raise TypeError(f"recording {number} has no {name!r}")
    return items


def _check_counts(counts: Any) -> None:
    tables = list(counts.values()) if is_object(counts) else [counts]
    if not all(is_object(table) and all(type(tokens) is int for tokens in table.values()) for table in tables):
        raise TypeError("'counts' must have a mapping of texts to numbers of tokens for each encoding")


def _checked(recordings: list[Recorded]) -> list[Recorded]:
    """Return recordings, after checking that each call of a tool in them is whole."""
    for number, one in enumerate(recordings, 1):
        if one.request.method == TOOL:
            asked, outcome = json.loads(one.request.body or ""), json.loads(one.response["body"]["string"] or "")
            is_read = is_object(asked) and is_object(outcome) and is_array(outcome.get("yielded", []))
            if not is_read or not any(name in outcome for name in ("returned", "yielded", "raised")):
                raise TypeError(f"recording {number} is not a tool call with a result or an error")
    return recordings


def _with_bodies(one: Recorded, convert: Callable[[Any], str | bytes | None]) -> Recorded:
    response = one.response | {"body": {"string": convert(one.response["body"]["string"])}}
    return replace(one, request=replace(one.request, body=convert(one.request.body)), response=response)


def _as_bytes(body: str | bytes | None) -> bytes | None:
    return body.encode() if isinstance(body, str) else body


def write_text(recordings: Sequence[Recorded], head: Mapping[str, Any]) -> str:
    """Return the text of a cassette with these recordings."""
    models = statistics_of(one.response for one in recordings).models
    offline = bool(models) and all("offline" in model.lower() for model in models)
    document = {
        "version": _VERSION,
        "recorder": "memzoo.cassettes",
        "recorded": head.get("recorded") or utc_now().date().isoformat(),
        "models": list(models),
        **_drop_empty(note=head.get("note") or (_OFFLINE if offline else None)),
    }
    document |= _drop_empty(**{name: value for name, value in head.items() if name not in (*document, "counts")})
    document |= {"interactions": list(map(_write_one, recordings)), **_drop_empty(counts=head.get("counts"))}
    return _TITLE + dump(document, compact=True, whole=True)


def _write_one(one: Recorded) -> dict[str, Any]:
    request, response, arrival = one.request, one.response, one.arrival
    status, body = response["status"], response["body"]["string"]
    by_event = arrival.sizes == event_sizes(_as_bytes(body) or b"")
    return {
        "request": {
            "method": request.method,
            "url": request.uri.removeprefix(ORIGIN),
            **_drop_empty(caller=one.caller, headers=_write_headers(request.headers)),
            **_write_body(request.body, content_type(request.headers)),
        },
        "response": {
            "status": f"{status['code']} {status['message'] or ''}".strip(),
            **_drop_empty(headers=_write_headers(response["headers"])),
            **_write_body(body, content_type(response["headers"])),
            **_drop_empty(
                chunks=len(arrival.sizes) > 1 and (_EVENTS if by_event else list(arrival.sizes)),
                seconds=list(arrival.seconds),
                broken=arrival.broken,
                hidden=sorted(one.hidden),
            ),
        },
    }


def _drop_empty(**values: Any) -> dict[str, Any]:
    """Return the values that are not empty."""
    return {name: value for name, value in values.items() if value}


def _write_headers(headers: Mapping[str, list[str]]) -> dict[str, Any]:
    return {name: values[0] if len(values) == 1 else list(values) for name, values in headers.items()}


def _write_body(body: str | bytes | None, kind: str) -> dict[str, Any]:
    if body is None:
        return {}
    if isinstance(body, str) and is_json(kind):
        try:
            return {"parsed_body": _exact_json(body)}
        except (ValueError, RecursionError):
            pass
    return {"body": body}


def _read(item: Mapping[str, Any]) -> Recorded:
    asked, answered = item["request"], item["response"]
    code, _, message = str(answered["status"]).partition(" ")
    url, body = asked["url"], _read_body(answered)
    if not isinstance(url, str):
        raise TypeError(f"url: {url!r} is not a string")
    if not code.isdecimal():
        raise ValueError(f"status: {code} is not a number")
    response = {
        "status": {"code": int(code), "message": message},
        "headers": _read_headers(answered),
        "body": {"string": body},
    }
    return Recorded(
        HttpRequest(
            str(asked["method"]), ORIGIN + url if url.startswith("/") else url, _read_body(asked), _read_headers(asked)
        ),
        response,
        str(asked.get("caller", "")),
        _read_arrival(answered, body),
        frozenset(map(str, answered.get("hidden", ()))),
    )


def _read_arrival(response: Mapping[str, Any], body: str | bytes | None) -> Arrival:
    chunks = response.get("chunks", [])
    sizes = event_sizes(_as_bytes(body) or b"") if chunks == _EVENTS else tuple(map(int, chunks))
    return Arrival(sizes, tuple(map(float, response.get("seconds", []))), str(response.get("broken", "")))


def _read_headers(message: Mapping[str, Any]) -> dict[str, list[str]]:
    headers = message.get("headers", {})
    if not is_object(headers):
        raise TypeError(f"headers: {headers!r} is not a mapping of names to values")
    return {name: header_values(value) for name, value in headers.items()}


def _read_body(message: Mapping[str, Any]) -> str | bytes | None:
    if "parsed_body" in message:
        return json.dumps(message["parsed_body"], ensure_ascii=False, separators=(",", ":"))
    body = message.get("body")
    if isinstance(body, str | bytes | None):
        return body
    raise TypeError(f"body: {body!r} is not a string")


def _exact_json(text: str) -> Any:
    """Return the parsed JSON of a text; raise an error for JSON that a mapping cannot represent without loss."""
    value = json.loads(text, object_pairs_hook=_unique)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found
