"""Converts messages and values to the text that databases keep, and back."""

import json
from datetime import UTC, datetime

from memzoo.errors import StoreError
from memzoo.stores.base import JSON

__all__ = ["DAMAGE", "as_time", "from_json", "to_json"]

DAMAGE = (ValueError, TypeError, AttributeError, RecursionError, StoreError)
"""The exceptions that reading a damaged row may raise."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Unlike `json.loads`, it skips no white space around a value, and `to_json` writes none.
_decode = json.JSONDecoder().raw_decode


def to_json(value: JSON) -> str:
    """Return JSON text that every database accepts and returns unchanged.

    Raises:
        StoreError: The value is not JSON.
    """
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"only JSON can be stored: {error}; nothing was stored") from error
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: JSON has it only as an escape
        return json.dumps(value)
    return text


def from_json(text: str | None) -> JSON:
    """Return the value that `to_json` was given; `None` for no text.

    Raises:
        ValueError: The text is damaged; this may also be a TypeError or a RecursionError, see `DAMAGE`.
    """
    if text is None:
        return None
    value, end = _decode(text)
    if end != len(text):
        raise ValueError(f"more than JSON: {text[end:]!r:.40}")
    return value


def as_time(moment: datetime) -> str:
    """Return a time as text that sorts chronologically."""
    return moment.astimezone(UTC).isoformat()
