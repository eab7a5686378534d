"""Finds the values of members in an entry of a file. Errors name the entry's place and the member."""

import difflib
import functools
import re
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import date_of
from memzoo.hosts.roles import role_of

_MISSING = object()
_ALIKE = 0.86
"""The likeness of names, as `difflib` measures it, from which on one may stand for the other."""
_KINDS = {str: "a text", bool: "true or false", int: "a number", list: "a list", dict: "an object"}
"""The words for the types of members, for errors."""


def pick(item: Any, path: str, default: Any = None) -> Any:
    """Return the value at a path. A path has keys and positions, separated by dots.

    `path` may have several paths, separated by "|". The first value that is not empty is then returned. If there is
    no value at any path, `default` is returned.

    Example:
        >>> talk = {"chat": {"messages": [{"text": "", "body": "Hi"}]}}
        >>> pick(talk, "chat.messages.0.text|chat.messages.0.body"), pick(talk, "chat.title")
        ('Hi', None)
    """
    if isinstance(item, dict) and path in item:  # nearly all paths are a key
        return item[path]  # pyright: ignore[reportUnknownVariableType]
    found = default
    for keys in _split(path):
        value = item
        for key in keys:
            if isinstance(value, dict):
                value = value.get(key, _MISSING)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):  # pyright: ignore[reportUnknownArgumentType]
                value = value[int(key)]  # pyright: ignore[reportUnknownVariableType]
            else:
                value = _MISSING
        if value not in (_MISSING, None, "", []):
            return value  # pyright: ignore[reportUnknownVariableType]
        if found is default and value is not _MISSING:
            found = value  # pyright: ignore[reportUnknownVariableType]
    return found


@functools.lru_cache
def _split(path: str) -> list[list[str]]:
    return [one.split(".") if one else [] for one in path.split("|")]


def as_list(value: Any) -> list[Any]:
    """Return a list unchanged, `None` as an empty list, and any other value as a list with one item."""
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]
    return [] if value is None else [value]


def need(item: Any, path: str, place: str, kind: type = object) -> Any:
    """Return the value at a path. Raise an error if the value is missing, unless the path ends in "?".

    Args:
        item: A message, or another part of a document.
        path: The path; see `pick`. If it ends in "?" and the value is missing, `None` is returned.
        place: The name of this part in errors, such as "message 3".
        kind: The type that the value must have.

    Raises:
        TransferError: The value is missing or of another type. The error names the place and the path.
    """
    if kind is object and isinstance(item, dict) and path in item:  # nearly all
        return item[path]  # pyright: ignore[reportUnknownVariableType]
    value = pick(item, path.removesuffix("?"), _MISSING)
    if value is _MISSING and path.endswith("?"):
        for one in path[:-1].split("|"):
            _check_alike(item, one, place)
        return None
    if value is _MISSING:
        there = ", ".join(map(repr, item)) or "nothing" if isinstance(item, Mapping) else repr(item)  # pyright: ignore[reportUnknownArgumentType]
        raise TransferError(f"{place} has no {path!r}; it has {there:.200}")
    _check(value, path, place, kind)
    return value


def _check_alike(item: Any, path: str, place: str) -> None:
    for key in path.split("."):
        if item is None:
            return
        _check(item, path, place, dict)
        if mark_of(item, key, place) is None:
            return
        item = item[key]  # pyright: ignore[reportUnknownVariableType]


def _check(value: Any, path: str, place: str, kind: type) -> None:
    # In Python, true and false are numbers.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TransferError(f"{place}: expected {_KINDS.get(kind, kind.__name__)} at {path!r}, not {value!r:.60}")


def list_at(item: Any, path: str, place: str) -> list[dict[str, Any]]:
    """Return the list of objects at a path.

    Raises:
        TransferError: The list is missing, or has an item that is not an object. The error names the place.
    """
    listed: list[Any] = need(item, path, place, list)
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, dict):
            raise TransferError(f"{place}: expected an object as number {number} of {path!r}, not {one!r:.60}")
    return listed


def date_at(item: Any, path: str, place: str) -> datetime | None:
    """Return the time at a path; `None` if the value there is null.

    Raises:
        TransferError: The time is missing or cannot be read. The error names the place, the path and the value.
    """
    given = need(item, path, place)
    date = date_of(given)
    if date is None and given is not None:
        raise TransferError(f"{place}: expected a time at {path!r}, not {given!r:.80}")
    return date


def text_at(item: Any, path: str, place: str) -> str:
    """Return the text at a path; "" if there is no value.

    Raises:
        TransferError: The value is not a text. The error names the place, the path and the value.
    """
    text = pick(item, path)
    if text is not None:
        _check(text, path, place, str)
    return text or ""


def id_at(item: Any, path: str, place: str) -> str:
    """Return the id at a path as a text; "" if there is no id. Numbers become texts; for errors, see `text_at`."""
    value = pick(item, path)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_at(item, path, place)


def role_at(item: Any, path: str, place: str, roles: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the role of a message, from the value at a path.

    `roles` is a dict from value to role, for values other than the common names of roles; see `Fields`. `place` is the
    place of the message, for the error.

    Raises:
        TransferError: The role is missing or unknown. The error names the message, the path and the value.
    """
    given = need(item, f"{path}?" if "None" in roles else path, place)
    role = roles[str(given)] if str(given) in roles else role_of(given)
    if role is None and isinstance(given, str):
        role = roles.get("*")
    if role is None:
        raise TransferError(f"{place}: expected a role at {path!r}, not {given!r}")
    return role


def mark_of(item: Mapping[str, Any], key: str, place: str, kind: type = object) -> Any:
    """Return an optional member of a message, such as "thought"; `None` if the message lacks the member.

    `kind` is the type that the member must have. `place` is the place of the message, for the error.

    Raises:
        TransferError: The member has another type, or its name is probably misspelt.
    """
    value = item.get(key)
    if value is None:
        if key not in item and (alike := _find_alike(key, tuple(item))):
            raise TransferError(f"{place} has {alike!r}, which is not known; did you mean {key!r}?")
    else:
        _check(value, key, place, kind)
    return value


@functools.lru_cache(maxsize=1000)
def _find_alike(key: str, names: tuple[str, ...]) -> str | None:
    plain = {re.sub(r"[\W_]", "", name).lower(): name for name in names}
    wanted = re.sub(r"[\W_]", "", key).lower()
    return next((plain[name] for name in difflib.get_close_matches(wanted, plain, 1, _ALIKE)), None)
