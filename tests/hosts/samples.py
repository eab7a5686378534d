"""Samples of a framework's own types, read from them: with all their fields, and with only those that they need."""

import dataclasses
import enum
import types
import typing
from collections import abc
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TypeAlias

__all__ = ["members", "odd", "samples"]

_PLAIN: dict[Any, Any] = {
    str: "text",
    int: 1,
    float: 1.5,
    bool: True,
    bytes: b"bytes",
    datetime: datetime(2026, 1, 1, tzinfo=UTC),
    type(None): None,
}
_ODD: list[Any] = [None, 7, "words", [], {}, ["words"], [None], [{}], [{"type": 1}]]
# What a field of this name has to be, whatever its type says.
_NAMED: dict[str, Any] = {
    "url": "https://example.org/file",
    "path": None,
    "image_mimetype": "image/png",
    "format": "png",
    "start": 0,
}
_WRAPPERS = (typing.Annotated, typing.Required, typing.NotRequired)
_DEEPEST = 6

Type: TypeAlias = Any
"""A type, or what stands for one in an annotation."""


def members(union: Type) -> list[Type]:
    """The types of a union, of unions within it too."""
    origin, given = typing.get_origin(union), typing.get_args(union)
    if origin in _WRAPPERS or str(origin).endswith("ReadOnly"):
        return members(given[0])
    if origin in (typing.Union, types.UnionType):
        return [member for one in given for member in members(one)]
    return [union]


def samples(kind: Type) -> list[Any]:
    """Two samples of a type: with all its fields, and with only those that it needs."""
    return [_sample(kind, full=True), _sample(kind, full=False)]


def odd(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A dict with each of its fields left out, and with values that nobody expects there."""
    for name in item:
        yield {key: value for key, value in item.items() if key != name}
        yield from ({**item, name: value} for value in _ODD)


def _sample(kind: Type, *, full: bool, depth: int = 0) -> Any:  # noqa: PLR0911 - one for each kind of annotation
    origin, given = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.TypeVar):
        return _sample(kind.__bound__ or str, full=full, depth=depth)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if origin is typing.Literal:
        return given[0]
    if origin in _WRAPPERS or str(origin).endswith("ReadOnly"):
        return _sample(given[0], full=full, depth=depth)
    if origin in (typing.Union, types.UnionType):
        return _sample(next(one for one in given if one is not type(None)), full=full, depth=depth)
    if origin is tuple:
        return (_sample(given[0], full=full, depth=depth + 1),)
    if origin in (list, abc.Sequence, abc.Iterable) or kind is list:
        return [_sample(given[0], full=full, depth=depth + 1)] if given and depth < _DEEPEST else []
    if origin in (dict, abc.Mapping) or kind is dict:
        return {"name": _sample(given[1], full=full, depth=depth + 1) if given else "text"} if full else {}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    return _made(origin or kind, full=full, depth=depth)


def _made(kind: Type, *, full: bool, depth: int) -> Any:
    """A dict of the fields of a `TypedDict`, or an object of a dataclass or of a model of Pydantic."""
    if hasattr(kind, "__required_keys__"):  # a `TypedDict`, of typing or of typing_extensions
        hints = typing.get_type_hints(kind, include_extras=True)
        needed = [name for name, hint in hints.items() if _is_needed(kind, name, hint)]
        names = [name for name in hints if name in needed or (full and depth < _DEEPEST)]
        return {name: _sample(hints[name], full=full, depth=depth + 1) for name in names}
    if dataclasses.is_dataclass(kind):
        made: Any = kind
        hints, each = typing.get_type_hints(made, include_extras=True), dataclasses.fields(made)
        nothing = dataclasses.MISSING
        needed = [one.name for one in each if one.default is nothing and one.default_factory is nothing]
        chosen = [one.name for one in each if one.init and (one.name in needed or full)]
        given = {name.lstrip("_"): _sample(hints[name], full=full, depth=depth + 1) for name in chosen}
        return made(**given | {name: value for name, value in _NAMED.items() if name in given})
    fields: dict[str, Any] = getattr(kind, "model_fields", {})
    if fields:
        chosen = [name for name, one in fields.items() if one.is_required() or (full and depth < _DEEPEST)]
        given = {name: _sample(fields[name].annotation, full=full, depth=depth + 1) for name in chosen}
        return kind(**given | {name: value for name, value in _NAMED.items() if name in given})
    return "anything"


def _is_needed(kind: Type, name: str, hint: Type) -> bool:
    wrapper: Any = typing.get_origin(hint)
    if wrapper is typing.Annotated:
        return _is_needed(kind, name, typing.get_args(hint)[0])
    if wrapper in (typing.Required, typing.NotRequired):
        return bool(wrapper is typing.Required)
    return name in kind.__required_keys__
