"""Converts messages and states to the rows of a database, and back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Table

from memzoo.stores.base import Entry, Record, StoredState
from memzoo.stores.common import escaped, make_damaged_error, unescaped
from memzoo.stores.encoding import DAMAGE, as_time, from_json, to_json
from memzoo.stores.sql import schema
from memzoo.stores.tombstones import tombstone

Row = Sequence[Any]

_NO_FIELDS = "{}"  # as in nearly all messages


def turn_values(conversation_id: str, turn_id: str, records: Sequence[Record], now: datetime) -> dict[str, Any]:
    """Return the values for the SQL statements that append records as a turn. `now` must be in UTC."""
    return {
        "conversation_id": escaped(conversation_id),
        "turn_id": escaped(turn_id),
        "count": len(records),
        "messages": [to_json(record.message) for record in records],
        "fields": [to_json(dict(record.fields)) if record.fields else _NO_FIELDS for record in records],
        "created_at": now.isoformat(),
    }


def to_entries(conversation_id: str, rows: Iterable[Sequence[Any]]) -> list[Entry]:
    """Return rows of the database as entries.

    Each row begins with the columns `memzoo.stores.sql.statements.ENTRY_COLUMNS`.

    Raises:
        StoreError: A row is damaged.
    """
    entries: list[Entry] = []
    for seq, turn_id, text, fields, created_at, *_ in rows:
        try:
            message, said_at = from_json(text), datetime.fromisoformat(created_at)
            more = {} if fields == _NO_FIELDS else from_json(fields)
            if not (isinstance(message, dict) and isinstance(more, dict)) or said_at.tzinfo is None:
                raise ValueError("it is not a message, or has no time")
            entries.append(Entry(int(seq), message, unescaped(turn_id), said_at, more))
        except DAMAGE as error:
            raise make_damaged_error(f"message {seq}", conversation_id, error) from error
    return entries


def entry_rows(conversation_id: str, entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return entries as rows (dicts from column to value), each with the message's position in its turn."""
    places: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for entry in entries:
        row = {"conversation_id": conversation_id, "seq": entry.seq, "place": places[entry.turn_id]}
        row |= {"turn_id": escaped(entry.turn_id), "created_at": as_time(entry.created_at)}
        rows.append(row | {"message": to_json(entry.message), "fields": to_json(dict(entry.fields))})
        places[entry.turn_id] += 1
    return rows


def buried_rows(conversation_id: str, tombstones: Iterable[str]) -> list[dict[str, str]]:
    """Return tombstones as rows (dicts from column to value). The given conversation id must already be escaped."""
    conversation = tombstone(unescaped(conversation_id))
    return [{"conversation": conversation, "turn": turn} for turn in tombstones]


def state_rows(ids: Mapping[str, str], version: int, state: StoredState) -> dict[Table, list[dict[str, Any]]]:
    """Return a state, or the changes to a state, as a dict from table to rows.

    Args:
        ids: The escaped values of the columns "conversation_id" and "strategy".
        version: The state's new version.
        state: The state, or changes to it, in which the value `None` removes an item.
    """
    values = {escaped(key): None if value is None else to_json(value) for key, value in state.items.items()}
    return {
        schema.states: [{**ids, "version": version, "watermark": state.watermark}],
        schema.items: [{**ids, "key": key, "value": value, "version": version} for key, value in values.items()],
        schema.embeddings: [{**ids, "seq": seq, "vector": vector} for seq, vector in state.embeddings.items()],
    }
