"""Messages and values as the text that databases keep."""

import json
from datetime import UTC, datetime

from memzoo.errors import StoreError
from memzoo.stores.base import JSON

__all__ = ["DAMAGE", "as_time", "from_json", "to_json"]

DAMAGE = (ValueError, TypeError, AttributeError, RecursionError, StoreError)
"""What reading a row raises that is not as it was written."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
# Unlike `json.loads`, it looks for no white space, which `to_json` does not write around a value.
_decode = json.JSONDecoder().raw_decode


def to_json(value: JSON) -> str:
    """Text that every database takes, and that is as it was when it is read again.

    Raises:
        StoreError: It is no JSON.
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
    """What `to_json` was given; `None` for no text.

    Raises:
        ValueError: The text is not as it was written; or a TypeError or a RecursionError, see `DAMAGE`.
    """
    if text is None:
        return None
    value, end = _decode(text)
    if end != len(text):
        raise ValueError(f"more than JSON: {text[end:]!r:.40}")
    return value


def as_time(moment: datetime) -> str:
    """A time as text that sorts by time."""
    return moment.astimezone(UTC).isoformat()
