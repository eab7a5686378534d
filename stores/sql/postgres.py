"""Connections of the SQL store to PostgreSQL: blocking, or for an event loop."""

import asyncio
import os
import selectors
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Executable, create_engine, event, literal_column, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError

from memzoo.errors import MissingExtraError, StoreError
from memzoo.forks import new_lock, watch
from memzoo.stores.common import UNCERTAIN, unescaped
from memzoo.stores.sql import schema
from memzoo.stores.sql.postgres_url import is_own, parse_url, without_secrets
from memzoo.stores.sql.rows import Row
from memzoo.stores.sql.statements import TURN, Run, Statements
from memzoo.stores.tombstones import tombstone
from memzoo.sync import is_blocking

try:
    import psycopg
    from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
except ImportError as error:
    raise MissingExtraError.of("PostgreSQL", "postgres") from error

T = TypeVar("T")

# One statement, hence one round trip. If two processes save the same turn at once, the second process waits for the
# conversation's row, and then finds the first process's messages: its statement fails as a whole and leaves no gap.
_APPEND = text("""
    WITH known AS (
        SELECT FROM memzoo_messages WHERE conversation_id = :conversation_id AND turn_id = :turn_id
            AND EXISTS (SELECT FROM memzoo_conversations WHERE id = :conversation_id) LIMIT 1
    ), buried AS (
        SELECT FROM memzoo_tombstones
        WHERE conversation = :conversation AND turn = :turn AND NOT EXISTS (SELECT FROM known)
    ), born AS (
        SELECT nextval('memzoo_versions') AS version
        WHERE NOT EXISTS (SELECT FROM known) AND NOT EXISTS (SELECT FROM buried)
    ), grown AS (
        INSERT INTO memzoo_conversations AS conversation (id, born, revision, last_seq, updated_at)
        SELECT :conversation_id, version, version, :count, :created_at FROM born
        ON CONFLICT (id) DO UPDATE
        SET last_seq = conversation.last_seq + excluded.last_seq, updated_at = excluded.updated_at
        RETURNING last_seq
    ), added AS (
        INSERT INTO memzoo_messages (conversation_id, seq, turn_id, place, message, fields, created_at)
        SELECT :conversation_id, last_seq - :count + place, :turn_id, place - 1, message, fields, :created_at
        FROM grown,
            unnest(CAST(:messages AS text[]), CAST(:fields AS text[])) WITH ORDINALITY AS new (message, fields, place)
        RETURNING seq
    )
    SELECT coalesce(min(seq), 0), EXISTS (SELECT FROM buried) FROM added
""")
_TABLES = ", ".join(schema.meta.metadata.tables)
_TOO_LONG = "54000"  # program_limit_exceeded: an index row is too long
_STATEMENTS = Statements(
    insert,
    first_version=schema.versions.next_value(),
    next_version=schema.versions.next_value(),
    now=literal_column("CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"),
    page_first=True,
)


class PostgreSQL:
    """A PostgreSQL database: its connections, its statements and its errors.

    Synchronous calls share a pool of connections, and each event loop has its own pool. For the attributes and
    methods, see the class `SQLite`.
    """

    def __init__(self, url: str) -> None:
        """Prepare connections for a URL; the first transaction opens the first connection.

        Raises:
            OptionError: The URL cannot be understood.
            MissingExtraError: The driver is not installed.
        """
        self.statements = _STATEMENTS
        self.name, self._url, self._options = parse_url(url)
        self.shown = self.name
        self.url: str | None = without_secrets(url)
        self._engine = create_engine(self._url, **self._options)
        event.listen(self._engine, "checkout", _check_out)
        self._connect = _Connect()
        event.listen(self._engine, "do_connect", self._connect)
        self._loops: dict[asyncio.AbstractEventLoop, _LoopEngine] = {}
        self._lock, self._pid = new_lock(), os.getpid()
        self._inherited: list[object] = []
        watch(self)
        self.close = weakref.finalize(self, _close, self._engine, self._loops)

    def before_fork(self) -> None:
        """Do nothing: only the child process acts, after the fork."""

    def after_fork(self) -> None:
        """In a child process, forget the parent's connections without using or closing them."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._inherited += [self._engine.pool, *self._loops.values()]
            self._engine.dispose(close=False)
            self._loops.clear()

    async def rows(self, statement: Executable, values: Mapping[str, Any], *, writes: bool = False) -> Sequence[Row]:
        """See `SQLite.rows`."""
        return await self._run(lambda connection: connection.execute(statement, values).all())

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        """See `SQLite.run_read`."""
        return await self._run(work)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        """See `SQLite.run_write`."""
        return await self._run(work, isolation_level="READ COMMITTED")

    async def transact(self, work: Callable[[Run], T]) -> T:
        """See `SQLite.transact`."""

        def on(connection: Connection) -> T:
            def run(statement: Executable, values: Any) -> Sequence[Row]:
                result = connection.execute(statement, values)
                return result.all() if result.returns_rows else ()

            return work(run)

        return await self.run_write(on)

    async def append(self, turn: Mapping[str, Any]) -> tuple[int, Sequence[Row]]:
        """Store a turn; see `SQLite.append`.

        If two processes store the same turn at the same time, the database refuses the second copy. The second caller
        then gets the first copy, or stores the turn if the first copy was cleared meanwhile.
        """
        id_, turn_id = unescaped(turn["conversation_id"]), unescaped(turn["turn_id"])
        values = {**turn, "conversation": tombstone(id_), "turn": tombstone(turn_id)}

        def work(connection: Connection) -> Row:
            return connection.execute(_APPEND, values).one()

        tries = 0
        while True:
            try:
                first, is_buried = await self._run(work)
            except _TakenError:
                if (tries := tries + 1) == _TRIES:
                    raise
                continue
            if first or is_buried:
                return first, ()
            if known := await self.rows(TURN, turn):
                return 0, known

    async def scrub(self, *, thorough: bool) -> bool:
        """Rewrite the tables if `thorough`, locking out all other users meanwhile; see `SQLite.scrub`.

        Without `thorough`, do nothing: the server itself removes traces at some later time.
        """

        def rewrite(connection: Connection) -> None:
            driver: Any = connection.connection.driver_connection
            driver.patience, usual = _DAY, driver.patience  # the server sends nothing while it rewrites
            try:
                connection.exec_driver_sql(f"VACUUM (FULL) {_TABLES}").close()
            finally:
                driver.patience = usual

        if thorough:
            await self._run(rewrite)
        return thorough

    async def check(self) -> list[str]:
        """Return the damage that the server has noticed, such as ["db: 3 pages with a wrong checksum were read"]."""
        [(count,)] = await self._run(lambda connection: connection.exec_driver_sql(_FAILED_PAGES).all())
        return [f"{self.name}: {count} pages with a wrong checksum were read"] if count else []

    async def _run(self, work: Callable[[Connection], T], **options: str) -> T:
        with self._explain_errors():
            if is_blocking():
                engine = self._engine.execution_options(**options) if options else self._engine
                with engine.begin() as connection:
                    return work(connection)
            awaited = self._engine_of_loop()
            async with (awaited.execution_options(**options) if options else awaited).begin() as connection:
                return await connection.run_sync(work)

    def _engine_of_loop(self) -> AsyncEngine:
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            with self._lock:
                for ended in [one for one in self._loops if one.is_closed()]:
                    self._loops.pop(ended).close()
                self._loops[loop] = _LoopEngine(self._url, self._options, self._connect)
        return self._loops[loop].engine

    @contextmanager
    def _explain_errors(self) -> Generator[None, None, None]:
        if not self.close.alive:
            raise StoreError(f"{self.name}: this store is closed")
        try:
            yield
        except SQLAlchemyError as error:
            reason = getattr(error, "orig", None)
            taken = _names_a_message(getattr(reason, "diag", None))
            too_long = getattr(reason, "sqlstate", None) == _TOO_LONG
            advice = "; the ids of a conversation and a turn may have about 2,600 bytes together" if too_long else ""
            if _UNSUPPORTED in str(reason):
                advice = "; a pooler refuses the options of the URL: let it ignore them (ignore_startup_parameters)"
            if getattr(error, "connection_invalidated", False):
                advice = f"; {UNCERTAIN}"
            raise (_TakenError if taken else StoreError)(f"{self.name}: {reason or error}{advice}") from error


def _names_a_message(diagnosis: Any) -> bool:
    """Tell whether an error's columns say that a message's number or place was taken; index names may differ."""
    detail = getattr(diagnosis, "message_detail", None) or ""
    return str(detail).partition("=")[0].endswith(("(conversation_id, turn_id, place)", "(conversation_id, seq)"))


class _TakenError(StoreError):
    """A message with this number, or at this place in the turn, exists already."""


class _LoopEngine:
    """The connections of one event loop. `close` also works after the end of the loop; asyncio's own close does not."""

    def __init__(self, url: URL, options: dict[str, Any], connect: "_Connect") -> None:
        self.engine = create_async_engine(url, **options)
        self._idle: set[Any] = set()
        self._closed = False
        event.listen(self.engine.sync_engine, "checkout", self._check_out)
        event.listen(self.engine.sync_engine, "checkin", self._check_in)
        event.listen(self.engine.sync_engine, "do_connect", connect)

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().pgconn.finish()

    def _check_out(self, connection: object, record: Any, proxy: object) -> None:
        self._idle.discard(record.driver_connection)
        _check_out(connection, record, proxy)

    def _check_in(self, connection: object, record: Any) -> None:
        if connection is None:
            return
        self._idle.add(record.driver_connection)
        if self._closed:
            self.close()


def _check_out(_: object, record: Any, __: object) -> None:
    """Make SQLAlchemy replace a connection that the server has closed; the check takes no round trip."""
    if record.driver_connection.closed or _has_input(record.driver_connection):
        raise DisconnectionError


def _has_input(connection: Any) -> bool:
    """Tell whether an idle connection has input, which means that the server has ended the connection."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        return bool(selector.select(0))


def _close(engine: Engine, loops: dict[asyncio.AbstractEventLoop, _LoopEngine]) -> None:
    engine.dispose()
    for loop in list(loops):
        loops.pop(loop).close()


_FAILED_PAGES = (
    "SELECT coalesce(sum(checksum_failures), 0) FROM pg_catalog.pg_stat_database WHERE datname = current_database()"
)
_DAY = 86_400
_TRIES = 3
_UNSUPPORTED = "unsupported startup parameter"  # PgBouncer's wording


class _Connect:
    """Opens connections with memzoo's time-out for locks; through a pooler that takes no options, without the time-out.

    After the first refusal, later connections omit the time-out from the start.
    """

    def __init__(self) -> None:
        self._is_refused = False

    def __call__(self, dialect: Any, _: object, args: Any, kwargs: dict[str, Any]) -> Any:
        if not self._is_refused:
            try:
                return _open(dialect, args, kwargs)
            except psycopg.OperationalError as error:
                if _UNSUPPORTED not in str(error) or not is_own(kwargs.get("options")):
                    raise
                self._is_refused = True
        kwargs.pop("options", None)  # SQLAlchemy 2.0 passes the engine's own dict, which may lack it by now
        return _open(dialect, args, kwargs)


def _open(dialect: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    known = {name: value for name, value in kwargs.items() if name != "patience"}
    if dialect.is_async:
        opened = dialect.connect(*args, **known, async_creator_fn=_AwaitedConnection.connect)
        dialect.get_driver_connection(opened).patience = kwargs["patience"]
    else:
        opened = _BlockingConnection.connect(*args, **known)
        opened.patience = kwargs["patience"]
    return opened


class _BlockingConnection(psycopg.Connection[Any]):
    """A connection for synchronous calls that gives up on a silent server.

    A hung pooler keeps the connection open, but never answers. The server's and TCP's time-outs do not notice this.

    Attributes:
        patience: The seconds of silence after which the connection is closed and the call fails.
    """

    patience: float

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run a step of the protocol, given as the generator `gen`, and return its result."""
        return super().wait(_bounded(gen, self), *args, **kwargs)


class _AwaitedConnection(psycopg.AsyncConnection[Any]):
    """Like `_BlockingConnection`, for an event loop."""

    patience: float

    async def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run a step of the protocol, given as the generator `gen`, and return its result."""
        return await super().wait(_bounded(gen, self), *args, **kwargs)


def _bounded(
    gen: Generator[Any, Any, T], connection: _BlockingConnection | _AwaitedConnection
) -> Generator[Any, Any, T]:
    """Run a step, and fail if the socket is not ready for too long; psycopg polls the socket every 0.1 seconds."""
    patience = connection.patience
    try:
        wanted = next(gen)
        end = monotonic() + patience
        while True:
            ready = yield wanted
            if ready:
                end = monotonic() + patience
            elif monotonic() >= end:
                connection.pgconn.finish()  # the pool notices and discards a closed connection
                raise psycopg.OperationalError(
                    f"no answer for {patience:g} seconds (timeout= in the URL sets how long to wait)"
                )
            wanted = gen.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result
