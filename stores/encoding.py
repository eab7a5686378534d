"""Converts messages and values to text for databases, and back."""

import json
from datetime import UTC, datetime

from memzoo.errors import StoreError
from memzoo.stores.base import JSON

DAMAGE = (ValueError, TypeError, AttributeError, RecursionError, StoreError)
"""The exceptions that reading a damaged row may raise."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Unlike `json.loads`, `raw_decode` skips no white space around a value; `to_json` writes no such white space.
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
    except UnicodeEncodeError:  # half of a surrogate pair, possible in JSON only as an escape
        return json.dumps(value)
    return text


def from_json(text: str | None) -> JSON:
    """Return the value of a JSON text from `to_json`; `None` for `None`.

    Raises:
        ValueError: The text is damaged. Some damaged texts raise other errors, which are in `DAMAGE`.
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
