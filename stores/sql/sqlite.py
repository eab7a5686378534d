"""Connections of the SQL store to SQLite: statements, locks and errors."""

import contextlib
import functools
import logging
import os
import re
import sqlite3
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, quote, unquote

from sqlalchemy import Connection, Executable, literal_column, select, update
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.exc import SQLAlchemyError

from memzoo.errors import OptionError, StoreError
from memzoo.forks import new_lock, new_rlock
from memzoo.stores.common import unescaped
from memzoo.stores.sql.connection_pool import ConnectionPool, PooledConnection
from memzoo.stores.sql.rows import Row
from memzoo.stores.sql.schema import conversations, meta
from memzoo.stores.sql.statements import CONVERSATION, TURN, Run, Statements
from memzoo.stores.sql.waiting import AT_ONCE, Deadline, WaitingExecutor
from memzoo.stores.tombstones import tombstone
from memzoo.text import private, redact_url

T = TypeVar("T")

logger = logging.getLogger("memzoo")

# `floor` is the highest version of any cleared conversation. A new conversation starts above `floor`, so no version
# is ever used twice, although cleared conversations leave no other data.
_FLOOR = update(meta).where(meta.c.key == "floor")
_REVISION = select(conversations.c.revision).where(conversations.c.id == CONVERSATION).scalar_subquery()
_STATEMENTS = Statements(
    insert,
    first_version=select(meta.c.value + 1).where(meta.c.key == "floor").scalar_subquery(),
    next_version=conversations.c.revision + 1,
    now=literal_column("CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"),
    retire=_FLOOR.where(meta.c.value < _REVISION).values(value=_REVISION),
)
# One row in any case. Ids are hashed for a look at the tombstones only if there are any.
_FIND = """
    SELECT
        (SELECT last_seq FROM memzoo_conversations WHERE id = :conversation_id),
        EXISTS (SELECT 1 FROM memzoo_messages WHERE conversation_id = :conversation_id AND turn_id = :turn_id),
        EXISTS (SELECT 1 FROM memzoo_tombstones WHERE conversation > '')
"""
_FIND_FORGOTTEN = "SELECT 1 FROM memzoo_tombstones WHERE conversation = ? AND turn = ?"
_GROW = "UPDATE memzoo_conversations SET last_seq = ?, updated_at = ? WHERE id = ?"
_ADD = """
    INSERT INTO memzoo_messages (place, message, fields, seq, conversation_id, turn_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""

_IN_MEMORY = ":memory:"
_PATIENCE = 1.0  # seconds
_creating = new_lock()
_DIALECT = dialect()


class SQLite:
    """An SQLite database: its connections, its statements and its errors.

    SQLAlchemy compiles each statement once. Saves and loads then use SQLite's driver directly, which is several times
    as fast as running them through SQLAlchemy.

    Attributes:
        name: The name of the database in error messages.
        shown: The URL without secrets and options.
        url: The URL that opens the database again; `None` for a database in memory, which cannot be opened again.
        statements: The statements in SQLite's dialect.
        close: Releases files and connections.
    """

    def __init__(self, url: str) -> None:
        """Prepare connections for a URL; the first transaction opens the first connection."""
        database, synchronous, self._timeout = _parse_url(url)
        in_memory = database == _IN_MEMORY
        self.name = database
        self.shown = "sqlite://" if in_memory else f"sqlite:///{quote(database)}"
        self.url = None if in_memory else f"{self.shown}?synchronous={synchronous}&timeout={self._timeout:g}"
        self.statements = _STATEMENTS
        # Writers of this process queue here, and wake up in order and at once, instead of polling for SQLite's lock.
        self._write_lock = new_rlock()
        connect = functools.partial(_connect, database, synchronous)
        # Readers of an in-memory database queue with its writers, because they share its only connection.
        self._connections = ConnectionPool(connect, shared=self._write_lock if in_memory else None)
        self._executor = WaitingExecutor()
        self.close = weakref.finalize(self, self._connections.close)

    async def rows(self, statement: Executable, values: Mapping[str, Any], *, writes: bool = False) -> Sequence[Row]:
        """Run one statement, and return the rows that it found or wrote."""
        return await self._do(lambda held: _run(held.driver, statement, values), writes=writes)

    async def run_read(self, work: Callable[[Connection], T]) -> T:
        """Run a function on a connection, outside a transaction."""

        def job(held: PooledConnection) -> T:
            with held.connection.begin():
                return work(held.connection)

        return await self._do(job)

    async def run_write(self, work: Callable[[Connection], T]) -> T:
        """Run a function in a transaction. The function's first statement must lock the conversation."""

        def job(held: PooledConnection) -> T:
            with held.connection.begin():
                # A transaction that reads first and locks later fails if another transaction wrote in between.
                held.connection.exec_driver_sql("BEGIN IMMEDIATE")
                return work(held.connection)

        return await self._do(job, writes=True)

    async def transact(self, work: Callable[[Run], T]) -> T:
        """Run a function in a transaction, and return its result.

        The function's argument is a `Run`, which executes statements.
        """

        def job(held: PooledConnection) -> T:
            with held.driver as driver:
                driver.execute("BEGIN IMMEDIATE")
                return work(functools.partial(_run, driver))

        return await self._do(job, writes=True)

    async def append(self, turn: Mapping[str, Any]) -> tuple[int, Sequence[Row]]:
        """Store a turn, given as the result of `turn_values`.

        Returns:
            A pair. For a new turn: the log number of its first message, and `()`. For a turn that was stored or
            forgotten before: 0, and the rows of its remaining messages.
        """
        id_, turn_id, created_at = same = turn["conversation_id"], turn["turn_id"], turn["created_at"]

        def job(held: PooledConnection) -> tuple[int, Sequence[Row]]:
            with held.driver as driver:
                driver.execute("BEGIN IMMEDIATE")
                last, is_known, may_be_forgotten = driver.execute(_FIND, turn).fetchone()
                if may_be_forgotten and not is_known:
                    hashes = tombstone(unescaped(id_)), tombstone(unescaped(turn_id))
                    is_known = driver.execute(_FIND_FORGOTTEN, hashes).fetchone()
                if is_known:
                    return 0, _run(driver, TURN, turn)
                if last is None:
                    last = 0
                    _run(driver, self.statements.found, turn)
                elif isinstance(last, int):
                    driver.execute(_GROW, (last + turn["count"], created_at, id_))
                else:
                    raise StoreError(
                        f"{self.name}: the table {conversations.name} is damaged: last_seq of {unescaped(id_)!r} is "
                        f"{last!r}; restore a backup, or set it to the number of its newest message"
                    )
                texts = enumerate(zip(turn["messages"], turn["fields"], strict=True))
                driver.executemany(_ADD, [(at, *text, last + 1 + at, *same) for at, text in texts])
            return last + 1, ()

        return await self._do(job, writes=True)

    async def scrub(self, *, thorough: bool) -> bool:
        """Remove traces of deleted data, and return true if none are left.

        This empties the write-ahead log; with `thorough`, it rewrites the file first.
        """
        # Other callers may have to wait for this call, so keep the wait short unless `thorough`.
        deadline = Deadline(self._timeout if thorough else min(self._timeout, _PATIENCE))
        try:
            if thorough:
                await self._executor.run(functools.partial(self._attempt, _rewrite, deadline, writes=True), deadline)
            await self._executor.run(functools.partial(self._attempt, _empty_log, deadline, writes=False), deadline)
        except _BusyError:
            logger.warning("%s: deleted data remains in the files, because other connections use them", self.name)
            return False
        return thorough or self.url is None

    async def check(self) -> list[str]:
        """Return the faults that SQLite finds in the file."""
        found = await self._do(lambda held: held.driver.execute("PRAGMA integrity_check").fetchall())
        return [f"{self.name}: {line}" for (line,) in found if line != "ok"]

    async def _do(self, job: Callable[[PooledConnection], T], *, writes: bool = False) -> T:
        """Do a job at once, usually in microseconds; if the job has to wait, an event loop keeps running."""
        try:
            return self._attempt(job, AT_ONCE, writes=writes)
        except _BusyError:
            deadline = Deadline(self._timeout)
        try:
            return await self._executor.run(functools.partial(self._attempt, job, deadline, writes=writes), deadline)
        except _BusyError as error:
            raise StoreError(f"{error}: others held it for {self._timeout:g} seconds") from error

    def _attempt(self, job: Callable[[PooledConnection], T], deadline: Deadline, *, writes: bool) -> T:
        if writes and not deadline.takes(self._write_lock):
            raise _BusyError(f"{self.name}: {_LOCKED}")
        try:
            while True:
                try:
                    held = self._take_connection(deadline)
                    with held.lock:
                        if not held.is_closed:
                            return job(held)
                except (_BusyError, sqlite3.Error, SQLAlchemyError, OverflowError, UnicodeError, TypeError) as error:
                    if not (_is_busy(error) and deadline.pause()):
                        raise self._error(error) from error
        finally:
            if writes:
                self._write_lock.release()

    def _take_connection(self, deadline: Deadline) -> PooledConnection:
        if not self.close.alive:
            raise StoreError(f"{self.name}: this store is closed")
        if deadline.is_given_up:
            raise _BusyError(_LOCKED)
        return self._connections.of_thread()

    def _error(self, error: Exception) -> StoreError:
        kind = _BusyError if _is_busy(error) else StoreError
        # SQLite's message for invalid UTF-8 would show stored text.
        said, *_ = str(getattr(error, "orig", None) or error).partition(" with text ")
        advice = "; the file or its folder is read-only" if _code(error) == sqlite3.SQLITE_READONLY else ""
        return kind(f"{self.name}: {said}{advice}")


class _BusyError(StoreError):
    """Other connections held the database for longer than the call may wait."""


_LOCKED = "database is locked"  # SQLite's wording


def _is_busy(error: Exception) -> bool:
    if isinstance(error, _BusyError):
        return True
    return _code(error) == sqlite3.SQLITE_BUSY


def _code(error: Exception) -> int:
    """Return SQLite's code of an error, without its extension."""
    return 0xFF & getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)


def _rewrite(held: PooledConnection) -> None:
    held.driver.execute("VACUUM")


def _empty_log(held: PooledConnection) -> None:
    if held.driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise _BusyError(_LOCKED)


@functools.lru_cache(maxsize=64)
def _compile(statement: Executable) -> tuple[str, Sequence[str], Mapping[str, Any]]:
    """Return a statement as text for the driver, the names of its values in order, and its constant values."""
    compiled: Any = cast("Any", statement).compile(dialect=_DIALECT)
    return str(compiled), compiled.positiontup, compiled.params


def _run(
    driver: sqlite3.Connection, statement: Executable, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]
) -> Sequence[Row]:
    text, names, constants = _compile(statement)
    if isinstance(values, Sequence):
        return driver.executemany(text, [[row[name] for name in names] for row in values]).fetchall()
    known = {**constants, **values}
    # Values by position: by name, the driver would look up each name every time.
    return driver.execute(text, [known[name] for name in names]).fetchall()


def _create(file: str) -> None:
    """Create a private file: a file created by SQLite itself can be read by everybody.

    SQLite gives the files beside the database the same mode. An existing file is left to SQLite: closing the file here
    would drop all locks of this process on the file, and other processes would then delete the write-ahead log of
    connections in use.
    """
    # Another thread's connection must not lock the new file before the file is closed here.
    with _creating, contextlib.suppress(OSError):  # SQLite raises a better error
        os.close(private(os.path.realpath(file), os.O_CREAT | os.O_EXCL | os.O_RDWR))


def _connect(database: str, synchronous: str) -> sqlite3.Connection:
    """Open a connection without SQLite's own waiting: callers retry instead."""
    if database != _IN_MEMORY:
        _create(database)
    connection = _open(database)
    try:
        # A file stays in write-ahead mode. A new file refuses the mode while other processes set it.
        for setting in ("journal_mode = WAL", f"synchronous = {synchronous}", "secure_delete = ON"):
            connection.execute(f"PRAGMA {setting}")
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError) and _can_only_be_read(database, error):
            # Open without a lock and a log, since the folder allows neither: concurrent writes go unnoticed.
            return _open(f"{Path(database).as_uri()}?immutable=1", uri=True)
        raise
    return connection


def _open(database: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(database, timeout=0, isolation_level=None, check_same_thread=False, uri=uri)


def _can_only_be_read(database: str, error: sqlite3.OperationalError) -> bool:
    """Tell whether a database is read-only: opening for writing failed, and no log with unread changes is left."""
    log = Path(f"{database}-wal")
    is_left = log.exists() and log.stat().st_size > 0
    return _code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN} and not is_left


_OPTIONS = {"synchronous": "full", "timeout": "30"}
_DAY = 86_400


def _parse_url(url: str) -> tuple[str, str, float]:
    """Return the file (or `:memory:`), the mode of synchronisation and the seconds to wait from a URL."""
    parts = re.fullmatch(r"sqlite://(/[^?]+)?(?:[?](.*))?", url, re.DOTALL)
    if parts is None:
        raise OptionError(
            f"{redact_url(url)!r} is not the URL of an SQLite database: write sqlite:///relative.db, "
            "sqlite:////absolute.db or sqlite://"
        )
    given = parse_qs(parts[2] or "", keep_blank_values=True)
    if unknown := sorted(given.keys() - _OPTIONS.keys()):
        raise OptionError(f"{redact_url(url)!r} has an unknown option {unknown[0]!r}; known are {', '.join(_OPTIONS)}")
    options = _OPTIONS | {name: ",".join(values) for name, values in given.items()}
    return (
        _file(unquote(parts[1] or f"/{_IN_MEMORY}")[1:]),
        _synchronous(options["synchronous"]),
        _seconds(options["timeout"]),
    )


def _file(database: str) -> str:
    if database == _IN_MEMORY:
        return database
    if "\0" in database:
        raise OptionError(f"the name of a file cannot contain a NUL character, as {database!r} does")
    # Made absolute at once: connections are opened later, and the process may change its current folder.
    path = Path(database).absolute()
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist")
    return str(path)


def _synchronous(mode: str) -> str:
    if mode not in ("full", "normal"):
        raise OptionError(f"synchronous={mode} is unknown; write synchronous=full or synchronous=normal")
    return mode


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _DAY:
        raise OptionError(f"timeout={text} is not a number of seconds, such as timeout=30")
    return seconds
