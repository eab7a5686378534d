"""How ids, messages and states stand in the rows of a database."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memzoo.stores.base import JSON, Entry
from memzoo.stores.errors import StoreError

__all__ = ["entries", "escaped", "from_json", "restored", "to_json"]

_UNSAFE = re.compile("[\\\\\0\ud800-\udfff]")
_ESCAPE = re.compile(r"\\([0-9a-f]{4})")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def escaped(text: str) -> str:
    """An id or a key without what databases refuse: NUL, and halves of surrogate pairs."""
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):04x}", text)


def restored(text: str) -> str:
    """What `escaped` was given."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


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
    """What `to_json` was given; `None` for no text."""
    return None if text is None else json.loads(text)


def entries(rows: Iterable[Sequence[Any]]) -> list[Entry]:
    """Rows with the columns `memzoo.stores.statements.ENTRY_COLUMNS` as entries."""
    return [
        Entry(seq, json.loads(message), restored(turn_id), datetime.fromisoformat(created_at), json.loads(fields))
        for seq, message, turn_id, created_at, fields in rows
    ]
