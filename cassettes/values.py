"""Writes Python values as JSON, and reads equal values of the same types back.

JSON's own types stay as they are. A value of another type becomes an object with a single key, which begins with `$`,
such as `{"$decimal": "1.10"}`. A value is refused if reading it back would not give an equal value.
"""

import base64
import enum
import inspect
import itertools
import json
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import MemberDescriptorType
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from memzoo.cassettes.http import is_array, is_object
from memzoo.cassettes.scrubbing import REQUEST_HEADERS, RESPONSE_HEADERS

_MARK = "$"
_CLASS, _STATE = f"{_MARK}class", "state"
_PYDANTIC, _REQUESTS = "pydantic_core._pydantic_core", "requests"
_BUILT_IN = (str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset)


class _Form(NamedTuple):
    """A type's name in JSON, and the functions that write and read its values."""

    name: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _write_bytes(value: bytes | bytearray) -> str | list[str]:
    # Secrets are searched in texts, and a placeholder inside base64 would damage the value.
    try:
        return value.decode()
    except UnicodeDecodeError:
        return [base64.b64encode(value).decode()]


def _read_bytes(said: str | list[str]) -> bytes:
    return said.encode() if isinstance(said, str) else base64.b64decode(said[0], validate=True)


def _write_datetime(value: datetime) -> str | list[Any]:
    zone = value.tzinfo
    if not isinstance(zone, ZoneInfo) and not value.fold:
        return value.isoformat()
    named = zone.key if isinstance(zone, ZoneInfo) else None
    return [(value.replace(tzinfo=None) if named else value).isoformat(), named, value.fold]


def _read_datetime(said: str | list[Any]) -> datetime:
    text, zone, fold = (said, None, 0) if isinstance(said, str) else said
    value = datetime.fromisoformat(text).replace(fold=fold)
    return value.replace(tzinfo=ZoneInfo(zone)) if zone else value


def _write_request(one: Any) -> list[Any]:
    return [type(one).__module__.partition(".")[0], one.method, str(one.url), _kept(one.headers, REQUEST_HEADERS)]


def _read_request(said: list[Any]) -> Any:
    package, method, url, headers = said
    request = import_module(package).Request(method, url, headers=dict(headers))
    return request.prepare() if package == _REQUESTS else request


def _write_response(one: Any) -> list[Any]:
    asked, members = _write_request(one.request), vars(one)
    reason = one.reason if asked[0] == _REQUESTS else one.reason_phrase
    # The body of a stream that was not read cannot be read later either.
    is_read = members.get("_content_consumed", "_content" in members)
    body = _write_bytes(one.content) if is_read else None
    return [asked, one.status_code, reason, _kept(one.headers, RESPONSE_HEADERS), one.encoding, body]


def _read_response(said: list[Any]) -> Any:
    asked, status, reason, headers, encoding, written = said
    request, client = _read_request(asked), import_module(asked[0])
    body = None if written is None else _read_bytes(written)
    if asked[0] == _REQUESTS:
        found = client.Response()
        state = {"status_code": status, "reason": reason, "url": request.url, "encoding": encoding, "request": request}
        found.__setstate__(state | {"_content": False if body is None else body})
        found.headers.update(headers)
        return found
    content = {"stream": client.ByteStream(b"")} if body is None else {"content": body}
    extensions = {"reason_phrase": reason.encode()}
    found = client.Response(status, headers=headers, request=request, extensions=extensions, **content)
    found.encoding = encoding
    return found


def _kept(headers: Any, names: Iterable[str]) -> list[list[str]]:
    return [[name.lower(), value] for name, value in headers.items() if name.lower() in names]


def _write_invalid(error: Any) -> list[Any]:
    written = [error.title, write_value(error.errors(include_url=False)), "python", False, False]
    # Only its text tells whether the input was JSON, inputs are hidden, and types are a validator's own.
    for written[2:] in itertools.product(("python", "json"), (False, True), (False, True)):
        with suppress(TypeError, ValueError, LookupError):
            if repr(_read_invalid(written)) == repr(error):
                break
    return written


def _read_invalid(said: list[Any]) -> Any:
    core = import_module(_PYDANTIC)
    title, errors, source, is_hidden, is_own = said
    known = {one["type"] for one in core.list_all_errors() if not is_own}
    lines = read_value(errors)
    for one in lines:
        if one["type"] not in known:
            one["type"] = core.PydanticCustomError(one["type"], one["msg"], one.get("ctx"))
    error = core.ValidationError.from_exception_data(title, lines, source, is_hidden)
    error.args = ()  # as of one that a model raises
    return error


# A value of one of these types is read back and compared by its `repr`, and for a float by the text itself.
_SCALARS = {
    float: _Form("float", repr, float),
    complex: _Form("complex", str, complex),
    Decimal: _Form("decimal", str, Decimal),
    Fraction: _Form("fraction", str, Fraction),
    UUID: _Form("uuid", str, UUID),
    type(Path()): _Form("path", str, Path),
    bytes: _Form("bytes", _write_bytes, _read_bytes),
    bytearray: _Form("bytearray", _write_bytes, lambda said: bytearray(_read_bytes(said))),
    date: _Form("date", date.isoformat, date.fromisoformat),
    time: _Form("time", time.isoformat, time.fromisoformat),
    datetime: _Form("datetime", _write_datetime, _read_datetime),
    timedelta: _Form("timedelta", lambda one: [one.days, one.seconds, one.microseconds], lambda said: timedelta(*said)),
}
# The same for types of packages that may be missing, by module and name.
_REQUEST = _Form("request", _write_request, _read_request)
_RESPONSE = _Form("response", _write_response, _read_response)
_PACKAGED = {
    f"{_PYDANTIC}:ValidationError": _Form("invalid", _write_invalid, _read_invalid),
    "requests.models:PreparedRequest": _REQUEST,
    "requests.models:Response": _RESPONSE,
} | {f"{one}:{form.name.title()}": form for one in ("httpx", "httpx2") for form in (_REQUEST, _RESPONSE)}
_COLLECTIONS: dict[type, str] = {tuple: "tuple", set: "set", frozenset: "frozenset"}
_READ: dict[str, Callable[[Any], Any]] = {
    form.name: form.read for form in (*_SCALARS.values(), *_PACKAGED.values())
} | {name: lambda items, kind=kind: kind(map(read_value, items)) for kind, name in _COLLECTIONS.items()}


def write_value(value: Any, place: str = "$") -> Any:
    """Return a value as JSON.

    Args:
        value: The value, such as JSON, a number, a date, bytes, a set, an exception, a response of httpx or requests, a
            dataclass or a pydantic model.
        place: The path of the value for error messages, such as `$['items'][0]`.

    Raises:
        TypeError: Reading the value back would not give an equal value. The message has the path and type of the part
            that would change.
    """
    kind = type(value)
    if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
        return value
    if kind is list:
        return [write_value(item, f"{place}[{number}]") for number, item in enumerate(value)]
    if kind is dict:
        pairs = [(key, write_value(item, f"{place}[{key!r}]")) for key, item in value.items()]
        if all(type(key) is str and not key.startswith(_MARK) for key, _ in pairs):
            return dict(pairs)
        return {f"{_MARK}dict": [[write_value(key, f"{place} (a key)"), item] for key, item in pairs]}
    return _write_other(value, place)


def _write_other(value: Any, place: str) -> Any:
    kind = type(value)
    if kind in _COLLECTIONS:
        items = [write_value(item, f"{place}[{number}]") for number, item in enumerate(value)]
        # A set's own order differs from process to process.
        return {f"{_MARK}{_COLLECTIONS[kind]}": items if kind is tuple else sorted(items, key=json.dumps)}
    if form := _SCALARS.get(kind) or _PACKAGED.get(f"{kind.__module__}:{kind.__qualname__}"):
        with suppress(RuntimeError):  # for example a response that knows no request
            written = form.write(value)
            if repr(form.read(written)) == repr(value):
                return {f"{_MARK}{form.name}": written}
        raise _refusal(value, place)
    return _write_object(value, place)


def read_value(written: Any) -> Any:
    """Return the value that `write_value` wrote.

    Raises:
        ValueError: The JSON was not written by `write_value`, or a class in it no longer exists.
    """
    if is_array(written):
        return [read_value(item) for item in written]
    if not is_object(written):
        return written
    if _CLASS in written:
        return _read_object(written)
    name = next(iter(written), "")
    if not name.startswith(_MARK):
        return {key: read_value(item) for key, item in written.items()}
    if name == f"{_MARK}dict":
        return {read_value(key): read_value(item) for key, item in written[name]}
    if name.removeprefix(_MARK) not in _READ:
        raise ValueError(f"{name!r} is not a type that a cassette can store")
    return _READ[name.removeprefix(_MARK)](written[name])


def _write_object(value: Any, place: str) -> dict[str, Any]:
    kind = type(value)
    name, is_known = f"{kind.__module__}:{kind.__qualname__}", False
    with suppress(ValueError):
        is_known = _find_class(name) is kind and _is_data(kind)
    if not is_known:
        raise _refusal(value, place)
    written = {_CLASS: name, _STATE: write_value(_state_of(value), f"{place} ({kind.__name__})")}
    with suppress(Exception):  # whatever a class does when it is made
        back = _read_object(written)
        is_same = type(back) is kind and write_value(_state_of(back)) == written[_STATE]
        if is_same and (not isinstance(value, Exception) or str(back) == str(value)):
            return written
    raise _refusal(value, place)


def _read_object(written: dict[str, Any]) -> Any:
    kind, state = _find_class(written[_CLASS]), read_value(written[_STATE])
    if not _is_data(kind):
        raise ValueError(f"{written[_CLASS]!r} is not a data class, named tuple, enum or exception")
    if issubclass(kind, enum.Enum):
        return kind(state)
    changed = ValueError(f"{written[_CLASS]} has other fields now than in the recording")
    if issubclass(kind, tuple):
        names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # a named tuple
        if is_object(state) and state.keys() != {*names}:
            raise changed
        return kind._make([state[name] for name in names] if is_object(state) else state)  # type: ignore[attr-defined]
    if issubclass(kind, Exception):
        args, members = state
        # The initializer of a class in Python may want other arguments than the error keeps.
        has_own = hasattr(kind.__init__, "__code__") and kind.__reduce__ is Exception.__reduce__
        found: Any = kind.__new__(kind, *args) if has_own else kind(*args)
    else:
        found = kind.__new__(kind)
        if hasattr(found, "__setstate__") and not (is_object(state) and _is_own(found.__setstate__)):
            found.__setstate__(state)
            state = None
        both = state if isinstance(state, tuple) else (state, None)
        members = {**(both[0] or {}), **(both[1] or {})}
    for name, member in members.items():
        object.__setattr__(found, name, member)
    own = (*(fields(kind) if is_dataclass(kind) else ()), *getattr(kind, "__attrs_attrs__", ()))
    wanted = {one.name: one.init for one in own} | dict.fromkeys(getattr(kind, "__pydantic_fields__", ()), True)
    for name, is_given in wanted.items():
        # A field that the class has gained may have a default there, which the recorded object never had.
        is_own = name in getattr(found, "__dict__", ()) or inspect.isdatadescriptor(
            inspect.getattr_static(kind, name, 0)
        )
        if not hasattr(found, name) or (is_given and not is_own):
            raise changed
    return found


def _is_own(method: Any) -> bool:
    """Return whether `dataclass` wrote this method for copying; the state that it returns then has no names."""
    return getattr(method, "__module__", "") == dataclass.__module__


def _state_of(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return value._asdict()  # type: ignore[attr-defined]  # a named tuple
    if not isinstance(value, Exception):
        # With their names, because a class may rename or reorder its fields.
        own = fields(value) if _is_own(value.__getstate__) else None
        return value.__getstate__() if own is None else {one.name: getattr(value, one.name) for one in own}
    # Some members are neither arguments nor in the dictionary: slots, and those of an import's or attribute's error.
    slots = {
        name: getattr(value, name)
        for name in dir(value)
        if isinstance(slot := getattr(type(value), name, None), MemberDescriptorType)
        and (name in ("name", "path") or slot.__objclass__.__module__ != "builtins")
        and getattr(value, name, None) is not None
    }
    # The arguments of a file's error lack the name of the file, but not those for a copy.
    return value.__reduce__()[1], slots | vars(value)


def _is_data(kind: type) -> bool:
    """Return whether an object of this class can be rebuilt from its state alone."""
    if issubclass(kind, enum.Enum | Exception) or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return True
    marks = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__")
    return any(hasattr(kind, mark) for mark in marks) and not issubclass(kind, _BUILT_IN)


def _find_class(name: str) -> type:
    module, _, path = name.partition(":")
    try:
        found = attrgetter(path)(import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"the class {name!r} is not found: {error}") from error
    if not isinstance(found, type):
        raise ValueError(f"{name!r} is not a class")  # noqa: TRY004 - as for a class that is gone
    return found


def _refusal(value: Any, place: str) -> TypeError:
    kind = type(value)
    return TypeError(f"{place} is a {kind.__module__}.{kind.__qualname__}, which a cassette cannot restore exactly")
