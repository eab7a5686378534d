"""The store in an SQL database."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from memzoo.stores import schema
from memzoo.stores.base import JSON, Entry, Record, StateUpdate
from memzoo.stores.clock import utc_now
from memzoo.stores.errors import ConflictError, StoreError
from memzoo.stores.sqlite import SQLite

__all__ = ["SQLStore"]


class SQLStore:
    """A `Store` in an SQLite file, which any number of threads and processes of one machine share.

    An append is on disk when it returns: the file is in WAL mode, and each commit waits for the disk
    (`?synchronous=full`, the default). With `?synchronous=normal` it does not wait: many times faster, and a crash
    of the process still loses nothing, but a power failure may take the latest commits.

    The methods are coroutines that never suspend: SQLite is embedded, and answers within microseconds or one
    flush of the disk. Readers never wait for writers; a writer waits for another process at most
    `?timeout=` seconds (default 30).

    Example:
        >>> from memzoo.stores import Record
        >>> from memzoo.stores.driving import drive
        >>> store = SQLStore("sqlite://")  # in memory; a file is "sqlite:///memories.db"
        >>> _ = drive(store.append("user-42", [Record({"role": "user", "content": "hi"})], turn_id="1"))
        >>> [(entry.seq, entry.message["content"]) for entry in drive(store.read("user-42"))]
        [(1, 'hi')]
        >>> store.close()
    """

    def __init__(self, url: str, *, clock: Callable[[], datetime] = utc_now) -> None:
        """Open the database, and create or update its tables where needed.

        Args:
            url: As for `memzoo.stores.open_store`.
            clock: Gives the time, with a time zone, that is stamped on each message.

        Raises:
            OptionError: The URL cannot be understood.
            StoreError: The file cannot be opened, is no database, or was written by a newer memzoo.
        """
        self.clock = clock
        self._database = SQLite(url)
        try:
            self._update_schema()
        except BaseException:
            self.close()
            raise

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        ids = {"conversation_id": _escaped(conversation_id), "turn_id": _escaped(turn_id)}
        texts = [(_to_json(record.message), _to_json(dict(record.fields))) for record in records]
        with self._database.writing() as connection:
            rows: Sequence[Sequence[Any]] = connection.execute(schema.TURN, ids).all()
            if texts and not rows:
                last = connection.execute(schema.GROW, {**ids, "count": len(texts)}).scalar_one()
                rows = [
                    (seq, message, ids["turn_id"], self._now(), fields)
                    for seq, (message, fields) in enumerate(texts, start=last - len(texts) + 1)
                ]
                new = [ids | dict(zip(schema.ENTRY_COLUMNS, row, strict=True)) for row in rows]
                connection.execute(schema.ADD, new)
        return _entries(rows)

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> list[Entry]:
        """See `Store.read`."""
        seq = schema.messages.c.seq
        entries = schema.ENTRIES.where(seq > after).order_by(seq.desc() if newest else seq)
        if until is not None:
            entries = entries.where(seq <= until)
        if limit is not None:
            entries = entries.limit(max(limit, 0))
        with self._database.reading() as connection:
            rows = connection.execute(entries, {"conversation_id": _escaped(conversation_id)}).all()
        return _entries(reversed(rows) if newest else rows)

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`; what changed first comes first, and what changed together, by key."""
        ids = _state_ids(conversation_id, strategy)
        with self._database.reading() as connection:
            rows = connection.execute(schema.CHANGES, {**ids, "since": since}).all()
        if not rows:
            return StateUpdate(version=0, watermark=0, changes={}, reset=since != 0)
        state = rows[0]
        reset = not state.born <= since <= state.version
        items = {_restored(row.key): row.value for row in rows if row.key is not None}
        changes = {key: _from_json(value) for key, value in items.items() if not reset or value is not None}
        return StateUpdate(state.version, state.watermark, changes, reset)

    async def commit(
        self,
        conversation_id: str,
        strategy: str,
        *,
        expected: int,
        watermark: int,
        changes: Mapping[str, JSON],
        embeddings: Mapping[int, bytes] | None = None,
    ) -> int:
        """See `Store.commit`."""
        ids = _state_ids(conversation_id, strategy)
        values = {_escaped(key): None if value is None else _to_json(value) for key, value in changes.items()}
        vectors = [{**ids, "seq": seq, "vector": vector} for seq, vector in (embeddings or {}).items()]
        with self._database.writing() as connection:
            version = self._next_version(connection, ids, expected)
            items = [{**ids, "key": key, "value": value, "version": version} for key, value in values.items()]
            connection.execute(schema.PUT_STATE, {**ids, "version": version, "watermark": watermark})
            for statement, rows in ((schema.PUT_ITEM, items), (schema.PUT_EMBEDDING, vectors)):
                if rows:
                    connection.execute(statement, rows)
        return version

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `Store.embeddings`."""
        ids = _state_ids(conversation_id, strategy)
        with self._database.reading() as connection:
            return {row.seq: row.vector for row in connection.execute(schema.VECTORS, {**ids, "after": after})}

    async def clear(self, conversation_id: str) -> None:
        """See `Store.clear`."""
        id_ = _escaped(conversation_id)
        own = schema.conversations.c.id == id_
        with self._database.writing() as connection:
            revision = connection.execute(select(schema.conversations.c.revision).where(own)).scalar_one_or_none()
            if revision is None:
                return
            floor = update(schema.meta).where(schema.meta.c.key == "floor", schema.meta.c.value < revision)
            connection.execute(floor.values(value=revision))
            connection.execute(delete(schema.conversations).where(own))
            for table in (schema.messages, schema.states, schema.items, schema.embeddings):
                connection.execute(delete(table).where(table.c.conversation_id == id_))

    async def conversations(self) -> list[str]:
        """See `Store.conversations`."""
        with self._database.reading() as connection:
            ids = connection.execute(select(schema.conversations.c.id)).scalars().all()
        return sorted(map(_restored, ids))

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()

    def _update_schema(self) -> None:
        with self._database.reading() as connection:
            found = schema.version(connection)
        if found > schema.VERSION:
            raise StoreError(
                f"{self._database.name}: its tables have version {found}, but this memzoo knows only those "
                f"up to {schema.VERSION}; upgrade memzoo"
            )
        if found < schema.VERSION:
            with self._database.writing() as connection:
                schema.upgrade(connection)

    def _now(self) -> str:
        return self.clock().astimezone(UTC).isoformat()

    def _next_version(self, connection: Connection, ids: Mapping[str, str], expected: int) -> int:
        state = connection.execute(schema.STATE, ids).one_or_none()
        if state is None or state.version != expected:
            raise ConflictError(
                f"state {_restored(ids['strategy'])!r} of {_restored(ids['conversation_id'])!r} "
                f"is at another version than {expected}"
            )
        version: int = state.revision + 1
        own = schema.conversations.c.id == ids["conversation_id"]
        connection.execute(update(schema.conversations).where(own).values(revision=version))
        return version


def _state_ids(conversation_id: str, strategy: str) -> dict[str, str]:
    return {"conversation_id": _escaped(conversation_id), "strategy": _escaped(strategy)}


_UNSAFE = re.compile("[\\\\\0\ud800-\udfff]")
_ESCAPE = re.compile(r"\\([0-9a-f]{4})")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _escaped(text: str) -> str:
    """An id or a key without what databases refuse: NUL, and halves of surrogate pairs."""
    return _UNSAFE.sub(lambda found: f"\\{ord(found[0]):04x}", text)


def _restored(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _to_json(value: JSON) -> str:
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"only JSON can be stored: {error}; nothing was stored") from error
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: JSON has it only as an escape
        return json.dumps(value)
    return text


def _from_json(text: str | None) -> JSON:
    return None if text is None else json.loads(text)


def _entries(rows: Iterable[Sequence[Any]]) -> list[Entry]:
    return [
        Entry(seq, json.loads(message), _restored(turn_id), datetime.fromisoformat(created_at), json.loads(fields))
        for seq, message, turn_id, created_at, fields in rows
    ]
