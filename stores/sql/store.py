"""The store on an SQL database."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Connection, Executable

from memzoo.errors import ConflictError, StoreError, UnsupportedError
from memzoo.stores.base import JSON, Entries, Entry, Lease, Record, StateUpdate, StoredState, read_clock, utc_now
from memzoo.stores.common import (
    HIGHEST,
    IN_MEMORY,
    check_numbers,
    escaped,
    make_conflict_error,
    make_damaged_error,
    prefix_range,
    unescaped,
)
from memzoo.stores.encoding import DAMAGE, as_time, from_json
from memzoo.stores.sql import schema, statements
from memzoo.stores.sql.deletion import clear, forget
from memzoo.stores.sql.rows import (
    Row,
    buried_rows,
    entry_rows,
    state_rows,
    to_entries,
    turn_values,
)
from memzoo.stores.sql.sqlite import SQLite
from memzoo.stores.sql.statements import Run
from memzoo.stores.tombstones import tombstone
from memzoo.sync import Closing, drive

if TYPE_CHECKING:
    from memzoo.stores.sql.postgres import PostgreSQL


class SQLStore(Closing):
    """A `Store` in an SQL database: an SQLite file for one machine, or a PostgreSQL server for many machines.

    **SQLite.** When an append returns, its messages are on disk (`?synchronous=full`, the default). With `normal`, an
    append is many times faster and survives a crash of the process, but perhaps not a power failure. Readers never wait
    for writers; a writer waits for other writers at most `?timeout=` seconds (default 30), and an event loop keeps
    running meanwhile.

    **PostgreSQL.** An append is one round trip, and an awaited append does not block the event loop. A writer waits
    only for other writers of the same conversation, with the same time limit.

    Example:
        >>> from memzoo.stores import Record
        >>> from memzoo.sync import drive
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
            clock: Returns the time, with a time zone, to stamp on each message.

        Raises:
            OptionError: The URL cannot be understood.
            MissingExtraError: The driver of the database is not installed.
            StoreError: The database cannot be opened, or was written by a newer memzoo.
        """
        self.clock = clock
        self._given = url
        self._database = _open(url)
        try:
            self._update_schema()
        except BaseException:
            self.close()
            raise

    @property
    def is_lasting(self) -> bool:
        """True if the data outlives the process, that is, unless the database is in memory."""
        return self._database.url is not None

    def __repr__(self) -> str:
        return f"<SQLStore {self._database.shown}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> "SQLStore":
        return SQLStore(self._check_reopenable(self._given), clock=self.clock)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen_sql, (self._check_reopenable(self._database.url), self.clock)

    def _check_reopenable(self, url: str | None) -> str:
        if self._database.url is None or url is None:
            raise UnsupportedError(IN_MEMORY)
        return url

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        now, taken = read_clock(self.clock), list(records)
        turn = turn_values(conversation_id, turn_id, taken, now)
        if not taken:
            return to_entries(conversation_id, await self._database.rows(statements.TURN, turn))
        first, known = await self._database.append(turn)
        if not first:
            return to_entries(conversation_id, known)
        return [Entry(seq, one.message, turn_id, now, one.fields) for seq, one in enumerate(taken, start=first)]

    async def read(
        self,
        conversation_id: str,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int | None = None,
        newest: bool = False,
    ) -> Entries:
        """See `Store.read`."""
        found = self._database.statements.read(until=until is not None, limit=limit is not None, newest=newest)
        # Read at least one row, because the first row also has the epoch and the revision.
        bounds = {"after": after, "until": until, "limit": min(max(limit or 0, 1), HIGHEST)}
        rows = await self._rows(found, conversation_id, bounds)
        if not rows:
            return Entries(revision=0)
        seq, *_, revision, born, evictions = rows[0]
        epoch = (born, evictions)
        if seq is None or (limit is not None and limit <= 0):
            return Entries((), epoch, revision)
        return Entries(to_entries(conversation_id, reversed(rows) if newest else rows), epoch, revision)

    async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
        """See `Store.read_state`; changes are in the order of their commits, and by key within a commit."""
        rows = await self._rows(statements.CHANGES, conversation_id, {"strategy": escaped(strategy), "since": since})
        if not rows:
            return StateUpdate(version=0, watermark=0, changes={}, reset=since != 0)
        born, version, learnt_to, *_ = rows[0]
        if not all(isinstance(one, int) for one in (born, version, learnt_to)):
            raise make_damaged_error(f"the state {strategy!r}", conversation_id, ValueError("its numbers are damaged"))
        reset = not born <= since <= version
        try:
            found = {unescaped(key): value for *_, key, value in rows if key is not None}
            changes = {key: from_json(value) for key, value in found.items() if not reset or value is not None}
        except DAMAGE as error:
            raise make_damaged_error(f"the state {strategy!r}", conversation_id, error) from error
        return StateUpdate(version, learnt_to, changes, reset)

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
        ids, use = _state_ids(conversation_id, strategy), self._database.statements
        state = StoredState(watermark, changes, embeddings or {})

        def work(run: Run) -> int:
            # Lock the row first: a later statement then reads the commits of other writers.
            revised, found = run(use.revise, ids), run(statements.STATE, ids)
            if not revised or found[0][1] != expected:
                raise ConflictError(f"state {strategy!r} of {conversation_id!r} is at another version than {expected}")
            version: int = revised[0][0]
            use.put(run, state_rows(ids, version, state))
            return version

        return await self._database.transact(work)

    async def lease(self, conversation_id: str, strategy: str, *, owner: str, seconds: float) -> Lease | None:
        """See `LeasingStore.lease`."""
        ids = _state_ids(conversation_id, strategy)
        values = {**ids, "owner": owner, "milliseconds": round(1000 * seconds)}
        taken = await self._database.rows(self._database.statements.lease, values, writes=True)
        rows = taken or await self._database.rows(statements.LEASE, ids)
        return Lease(*rows[0]) if rows else None

    async def release(self, conversation_id: str, strategy: str, owner: str) -> None:
        """See `LeasingStore.release`."""
        values = {**_state_ids(conversation_id, strategy), "owner": owner}
        await self._database.rows(statements.RELEASE, values, writes=True)

    async def embeddings(self, conversation_id: str, strategy: str, *, after: int = 0) -> dict[int, bytes]:
        """See `ManagedStore.embeddings`."""
        rows = await self._rows(statements.VECTORS, conversation_id, {"strategy": escaped(strategy), "after": after})
        vectors: dict[int, bytes] = dict(cast("Sequence[tuple[int, bytes]]", rows))
        if wrong := [seq for seq, vector in vectors.items() if not isinstance(vector, bytes)]:
            raise make_damaged_error(
                f"embedding {wrong[0]} of the state {strategy!r}", conversation_id, ValueError("no bytes")
            )
        return vectors

    async def clear(self, conversation_id: str, *, only_empty: bool = False) -> None:
        """See `Store.clear`."""
        id_, use = escaped(conversation_id), self._database.statements
        await self._database.run_write(lambda connection: clear(connection, use, id_, only_empty=only_empty))

    async def conversations(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        idle_since: datetime | None = None,
        prefix: str = "",
        behind: str | None = None,
    ) -> list[str]:
        """See `ManagedStore.conversations`."""
        bounds: dict[str, Any] = {**prefix_range(prefix), "limit": None if limit is None else max(limit, 0)}
        bounds["after"] = None if after is None else escaped(after)
        bounds["idle"] = None if idle_since is None else as_time(idle_since)
        bounds["behind"] = None if behind is None else escaped(behind)
        given = {name: value for name, value in bounds.items() if value is not None}
        rows = await self._database.rows(statements.select_ids(*given), given)
        return [unescaped(id_) for (id_,) in rows]

    async def forget(
        self, conversation_id: str, seqs: Collection[int], *, derived: bool = True, tombstones: bool = True
    ) -> list[int]:
        """See `ManagedStore.forget`."""
        id_, use = escaped(conversation_id), self._database.statements
        return await self._database.run_write(
            lambda connection: forget(connection, use, id_, seqs, derived=derived, buries=tombstones)
        )

    async def tombstones(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.tombstones`."""
        rows = await self._database.rows(statements.TOMBSTONES, {"conversation": tombstone(conversation_id)})
        return [unescaped(turn) for (turn,) in rows]

    async def count(self, conversation_id: str) -> int:
        """See `ManagedStore.count`."""
        return int((await self._database.rows(statements.COUNT, {"conversation_id": escaped(conversation_id)}))[0][0])

    async def states(self, conversation_id: str) -> list[str]:
        """See `ManagedStore.states`."""
        rows = await self._rows(statements.STATES, conversation_id)
        return sorted(unescaped(name) for (name,) in rows)

    async def restore(
        self,
        conversation_id: str,
        entries: Sequence[Entry],
        states: Mapping[str, StoredState],
        *,
        tombstones: Collection[str] = (),
    ) -> None:
        """See `ManagedStore.restore`."""
        check_numbers(entries)
        use, rows = self._database.statements, entry_rows(escaped(conversation_id), entries)

        def work(connection: Connection) -> None:
            new = {**rows[-1], "count": entries[-1].seq}
            born: int | None = connection.execute(use.found, new).scalar_one_or_none()
            if born is None:
                raise make_conflict_error(conversation_id)
            connection.execute(statements.ADD, rows)
            for name, state in states.items():
                use.put(connection.execute, state_rows(_state_ids(conversation_id, name), born, state))
            use.put(connection.execute, {schema.tombstones: buried_rows(escaped(conversation_id), tombstones)})

        await self._database.run_write(work)

    async def scrub(self, *, thorough: bool = False) -> bool:
        """See `ManagedStore.scrub`; `thorough` runs SQLite's `VACUUM`, or PostgreSQL's `VACUUM FULL`."""
        return await self._database.scrub(thorough=thorough)

    async def check(self) -> list[str]:
        """Return the faults that the database finds, and a line for each incomplete conversation.

        A conversation is incomplete if its newest messages or its own row are missing.
        """
        found = await self._database.check()
        lost = await self._database.rows(statements.LOST, {})
        left = await self._database.rows(statements.ROWLESS, {})
        found += (f"{unescaped(id_)!r} is missing, but its messages exist" for (id_,) in left)
        return [*found, *(f"the newest messages of {unescaped(id_)!r} are missing" for (id_,) in lost)]

    def close(self) -> None:
        """See `Store.close`."""
        self._database.close()

    async def _rows(self, statement: Executable, id_: str, values: Mapping[str, Any] | None = None) -> Sequence[Row]:
        try:
            return await self._database.rows(statement, {"conversation_id": escaped(id_), **(values or {})})
        except StoreError as error:
            raise type(error)(f"{error} (in the conversation {id_!r})") from error

    def _update_schema(self) -> None:
        found = drive(self._database.run_read(schema.version))
        if found > schema.VERSION:
            raise StoreError(
                f"{self._database.name}: its tables have version {found}, but this memzoo knows only those "
                f"up to {schema.VERSION}; upgrade memzoo"
            )
        if found < schema.VERSION:
            drive(self._database.run_write(schema.upgrade))


def _state_ids(conversation_id: str, strategy: str) -> dict[str, str]:
    return {"conversation_id": escaped(conversation_id), "strategy": escaped(strategy)}


def _reopen_sql(url: str, clock: Callable[[], datetime]) -> SQLStore:
    try:
        return SQLStore(url, clock=clock)
    except StoreError as error:
        if url.startswith("sqlite:"):
            raise
        advice = "a pickled store holds no password: set PGPASSWORD, or write it into ~/.pgpass"
        raise StoreError(f"{error}\n{advice}") from error


def _open(url: str) -> "SQLite | PostgreSQL":
    if url.startswith("sqlite:"):
        return SQLite(url)
    from memzoo.stores.sql.postgres import PostgreSQL

    return PostgreSQL(url)
