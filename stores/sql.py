"""The store in an SQL database."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from memzoo.stores import schema
from memzoo.stores.base import JSON, Entry, Record, StateUpdate, StoredState
from memzoo.stores.clock import utc_now
from memzoo.stores.deletion import forget
from memzoo.stores.errors import ConflictError, StoreError
from memzoo.stores.escaping import escaped as _escaped
from memzoo.stores.escaping import restored as _restored
from memzoo.stores.restoring import checked_numbers, existing
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
                times = [self._now() for _ in texts]
                grown = {**ids, "count": len(texts), "created_at": times[-1]}
                first = connection.execute(schema.GROW, grown).scalar_one() - len(texts) + 1
                rows = [
                    (first + place, message, ids["turn_id"], times[place], fields)
                    for place, (message, fields) in enumerate(texts)
                ]
                connection.execute(schema.ADD, _rows(ids, rows))
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
        with self._database.writing() as connection:
            version = self._next_version(connection, ids, expected)
            self._put(connection, ids, version, StoredState(watermark, changes, embeddings or {}))
        return version

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `Store.embeddings`."""
        ids = _state_ids(conversation_id, strategy)
        with self._database.reading() as connection:
            return {row.seq: row.vector for row in connection.execute(schema.VECTORS, {**ids, "after": after})}

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        id_ = _escaped(conversation_id)
        own = schema.conversations.c.id == id_
        if only_empty:
            own &= schema.conversations.c.updated_at.is_(None)
        with self._database.writing() as connection:
            revision = connection.execute(select(schema.conversations.c.revision).where(own)).scalar_one_or_none()
            if revision is None:
                return
            floor = update(schema.meta).where(schema.meta.c.key == "floor", schema.meta.c.value < revision)
            connection.execute(floor.values(value=revision))
            connection.execute(delete(schema.conversations).where(own))
            for table in (schema.messages, schema.states, schema.items, schema.embeddings):
                connection.execute(delete(table).where(table.c.conversation_id == id_))

    async def conversations(
        self, *, after: str | None = None, limit: int | None = None, idle_since: datetime | None = None
    ) -> list[str]:
        """See `Store.conversations`."""
        id_, updated_at = schema.conversations.c.id, schema.conversations.c.updated_at
        found = select(id_).where(updated_at.is_not(None)).order_by(id_)
        if after is not None:
            found = found.where(id_ > _escaped(after))
        if idle_since is not None:
            found = found.where(updated_at < _time(idle_since))
        if limit is not None:
            found = found.limit(max(limit, 0))
        with self._database.reading() as connection:
            ids = connection.execute(found).scalars().all()
        return list(map(_restored, ids))

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()

    async def forget(self, conversation_id: str, seqs: Collection[int], *, derived: bool = True) -> list[int]:
        """See `Store.forget`."""
        with self._database.writing() as connection:
            return forget(connection, _escaped(conversation_id), seqs, derived=derived)

    async def states(self, conversation_id: str) -> list[str]:
        """See `Store.states`."""
        names = select(schema.states.c.strategy).where(schema.states.c.conversation_id == _escaped(conversation_id))
        with self._database.reading() as connection:
            return sorted(map(_restored, connection.execute(names).scalars()))

    async def restore(self, conversation_id: str, entries: Sequence[Entry], states: Mapping[str, StoredState]) -> None:
        """See `Store.restore`."""
        checked_numbers(entries)
        ids = {"conversation_id": _escaped(conversation_id)}
        messages = [
            (one.seq, _to_json(one.message), _escaped(one.turn_id), _time(one.created_at), _to_json(dict(one.fields)))
            for one in entries
        ]
        with self._database.writing() as connection:
            own = schema.conversations.c.id == ids["conversation_id"]
            if connection.execute(select(schema.conversations.c.id).where(own)).first():
                raise existing(conversation_id)
            connection.execute(schema.GROW, {**ids, "count": entries[-1].seq, "created_at": messages[-1][3]})
            connection.execute(schema.ADD, _rows(ids, messages))
            born = connection.execute(select(schema.conversations.c.born).where(own)).scalar_one()
            for name, state in states.items():
                self._put(connection, _state_ids(conversation_id, name), born, state)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """See `Store.scrub`.

        What is deleted is overwritten with zeros, and here the write-ahead log is emptied. But SQLite leaves copies
        behind when it splits and merges pages, now and then; `thorough` rewrites the file without them (`VACUUM`).
        """
        return self._database.scrub(thorough=thorough)

    def _put(self, connection: Connection, ids: Mapping[str, str], version: int, state: StoredState) -> None:
        """Write a state, or all that changes in it."""
        values = {_escaped(key): None if value is None else _to_json(value) for key, value in state.items.items()}
        items = [{**ids, "key": key, "value": value, "version": version} for key, value in values.items()]
        vectors = [{**ids, "seq": seq, "vector": vector} for seq, vector in state.embeddings.items()]
        connection.execute(schema.PUT_STATE, {**ids, "version": version, "watermark": state.watermark})
        for statement, rows in ((schema.PUT_ITEM, items), (schema.PUT_EMBEDDING, vectors)):
            if rows:
                connection.execute(statement, rows)

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
        return _time(self.clock())

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


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _rows(ids: Mapping[str, str], entries: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Entries as rows to be added, each with its place in its turn."""
    places: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for entry in entries:
        row = {**ids, **dict(zip(schema.ENTRY_COLUMNS, entry, strict=True))}
        rows.append(row | {"place": places[row["turn_id"]]})
        places[row["turn_id"]] += 1
    return rows


def _entries(rows: Iterable[Sequence[Any]]) -> list[Entry]:
    return [
        Entry(seq, json.loads(message), _restored(turn_id), datetime.fromisoformat(created_at), json.loads(fields))
        for seq, message, turn_id, created_at, fields in rows
    ]
