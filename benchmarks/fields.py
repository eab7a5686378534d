"""Taking values out of a file that anybody may have written, with errors that say where it is wrong."""

import reprlib
from datetime import UTC, datetime
from typing import Any

from memzoo.stores.errors import TranscriptError

__all__ = ["as_object", "date_field", "list_field", "shown", "text_field"]


def shown(value: Any) -> str:
    """A value for an error text, cut to a readable length."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 80
    return short.repr(value)


def as_object(value: Any, where: str, expected: str) -> dict[str, Any]:
    """The value, if it is a JSON object.

    Args:
        value: Anything that JSON can hold.
        where: File and line or index, for the error text.
        expected: What it ought to be, for the error text.

    Raises:
        TranscriptError: It is none.
    """
    if not isinstance(value, dict):
        raise TranscriptError(f"{where}: expected {expected}, not {shown(value)}")
    return value  # pyright: ignore[reportUnknownVariableType]


def text_field(item: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    """The text under a key; it may be left out only if there is a default.

    Raises:
        TranscriptError: It is missing, empty, or no text.
    """
    value = item.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not value.strip():
        found = shown(value) if key in item else f"missing (there are: {', '.join(map(shown, item)) or 'no keys'})"
        raise TranscriptError(f"{where}: {key!r} must be a text that is not empty; it is {found}")
    return value


def list_field(item: dict[str, Any], key: str, where: str) -> list[Any]:
    """The list under a key; empty if the key is missing.

    Raises:
        TranscriptError: It is no list.
    """
    value = item.get(key, [])
    if not isinstance(value, list):
        raise TranscriptError(f"{where}: {key!r} must be a list, not {shown(value)}")
    return value  # pyright: ignore[reportUnknownVariableType]


def date_field(item: dict[str, Any], key: str, where: str) -> datetime | None:
    """The ISO 8601 date under a key, in UTC if it names no time zone; `None` if the key is missing.

    Raises:
        TranscriptError: It is no such date.
    """
    value = item.get(key)
    if value is None:
        return None
    try:
        date = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise TranscriptError(
            f"{where}: {key!r} must be a date such as '2026-03-02T09:15:00+00:00', not {shown(value)}"
        ) from error
    return date if date.tzinfo else date.replace(tzinfo=UTC)
