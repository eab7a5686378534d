"""How the SQL store connects to SQLite, locks it, and tells what went wrong."""

import functools
import os
import re
import sqlite3
import threading
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, quote, unquote

from sqlalchemy import URL, Connection, Engine, Executable, create_engine, event, select, update
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from memzoo.stores.common import redacted
from memzoo.stores.errors import OptionError, StoreError
from memzoo.stores.sql.rows import NewTurn, Row
from memzoo.stores.sql.schema import conversations, meta
from memzoo.stores.sql.statements import ADD, CONVERSATION, ENTRY_COLUMNS, TURN, Statements

__all__ = ["SQLite"]

T = TypeVar("T")

# `floor` is the highest version that a cleared conversation had. A new conversation starts above it, so no version
# is ever used twice, although nothing else is kept of what was cleared.
_FLOOR = update(meta).where(meta.c.key == "floor")
_REVISION = select(conversations.c.revision).where(conversations.c.id == CONVERSATION).scalar_subquery()
_STATEMENTS = Statements(
    insert,
    first_version=select(meta.c.value + 1).where(meta.c.key == "floor").scalar_subquery(),
    next_version=conversations.c.revision + 1,
    retire=_FLOOR.where(meta.c.value < _REVISION).values(value=_REVISION),
)


_DIALECT = dialect(paramstyle="named")


class SQLite:
    """Connections to an SQLite database, one for each thread, and the errors that come over them.

    The statements of each save and load go to the driver as text that SQLAlchemy compiled once: going through its
    connection would take several times as long as SQLite itself does.

    Attributes:
        name: Names the place in errors.
        shown: Its URL without secrets and options.
        url: What opens it again, without secrets; `None` where that would be another database.
        statements: Those of its dialect.
        close: Gives back files and connections.
    """

    def __init__(self, url: str) -> None:
        """Nothing is opened yet: that happens with the first transaction."""
        database, synchronous, timeout = _parsed(url)
        self.name = database
        self.shown = "sqlite://" if database == ":memory:" else f"sqlite:///{quote(database)}"
        options = f"?synchronous={synchronous}&timeout={timeout:g}"
        self.url = None if database == ":memory:" else f"{self.shown}{options}"
        self.statements = _STATEMENTS
        self._in_memory = database == ":memory:"
        self._engine = create_engine(
            URL.create("sqlite+pysqlite", database=database),
            connect_args={"timeout": timeout, "isolation_level": None, "check_same_thread": False},
            hide_parameters=True,
            **({"poolclass": StaticPool} if self._in_memory else {"poolclass": QueuePool, "max_overflow": -1}),
        )

        @event.listens_for(self._engine, "connect")
        def prepare(connection: sqlite3.Connection, _: object) -> None:
            _use_wal(connection)
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA secure_delete = ON")

        # Writers of this process queue here, in turn and awake at once, rather than poll for SQLite's lock.
        self._write_lock = threading.RLock()
        self._thread = threading.local()
        self._pid = os.getpid()
        self._held = weakref.WeakSet[_Held]()
        self._inherited: list[_Held] = []
        self.close = weakref.finalize(self, _close, self._engine, self._held)

    async def rows(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[Row]:
        """The rows that one statement finds."""
        try:
            held = self._connection()
            with held.lock:
                return _run(held.driver, statement, values).fetchall()
        except (sqlite3.Error, SQLAlchemyError, OverflowError) as error:
            raise self._error(error) from error

    async def reading(self, work: Callable[[Connection], T]) -> T:
        """Run it on a connection on which each statement sees one snapshot of its own, and takes no lock."""
        with self._checked() as held, held.lock, held.connection.begin():
            return work(held.connection)

    async def writing(self, work: Callable[[Connection], T]) -> T:
        """Run it in a transaction; its first statement has to be one that locks the conversation."""
        with self._checked() as held, self._write_lock, held.lock, held.connection.begin():
            # One that reads first and asks for the lock later fails as soon as another has written.
            held.connection.exec_driver_sql("BEGIN IMMEDIATE")
            return work(held.connection)

    async def append(self, turn: NewTurn) -> Sequence[Row]:
        """The rows of the turn, which are those that it has already where it is there; it is not empty."""
        with self._checked() as held, self._write_lock, held.lock, _transaction(held.driver) as driver:
            if stored := _run(driver, TURN, turn.ids).fetchall():
                return stored
            new = {**turn.ids, "count": len(turn.messages), "created_at": turn.created_at}
            rows = turn.rows(_run(driver, _STATEMENTS.grow, new).fetchone()[0])
            added = (turn.ids | {"place": place} | _named(row) for place, row in enumerate(rows))
            driver.executemany(_compiled(ADD)[0], added)
            return rows

    async def scrub(self, *, thorough: bool | None) -> bool:
        """Empty the write-ahead log into the file, which is rewritten before if asked for; whether it could be done."""
        with self._checked() as held, self._write_lock, held.lock:
            try:
                if thorough is not False:
                    held.driver.execute("VACUUM")
                held_up: int = held.driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                return False
        return not held_up

    def _connection(self) -> "_Held":
        """The connection of this thread."""
        if not self.close.alive:
            raise StoreError(f"{self.name}: this store is closed")
        held: _Held | None = getattr(self._thread, "held", None)
        if held is None or held.pid != os.getpid():
            held = self._thread.held = self._opened(held)
        return held

    def _opened(self, inherited: "_Held | None") -> "_Held":
        # SQLite forbids a fork to use, or even to close, what its parent has opened.
        if self._pid != os.getpid() and not self._in_memory:
            self._engine.dispose(close=False)
            self._pid = os.getpid()
        if inherited is not None:
            self._inherited.append(inherited)
        # Readers of an in-memory database queue with its writers, because they share its only connection.
        held = _Held(self._engine.connect(), self._write_lock if self._in_memory else threading.RLock())
        self._held.add(held)
        return held

    @contextmanager
    def _checked(self) -> Generator["_Held", None, None]:
        try:
            yield self._connection()
        except (sqlite3.Error, SQLAlchemyError, OverflowError) as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> StoreError:
        return StoreError(f"{self.name}: {getattr(error, 'orig', None) or error}")


class _Held:
    """A connection that a thread keeps, and the lock under which it is used and closed."""

    def __init__(self, connection: Connection, lock: "threading.RLock") -> None:
        self.connection = connection
        self.driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        self.lock = lock
        self.pid = os.getpid()


def _close(engine: Engine, held: "weakref.WeakSet[_Held]") -> None:
    """Close all connections; one that is in use for longer is closed when its thread lets go of it."""
    for one in list(held):
        if one.pid == os.getpid() and one.lock.acquire(timeout=1):
            one.connection.close()
            one.lock.release()
    engine.dispose()


@functools.lru_cache(maxsize=64)
def _compiled(statement: Executable) -> tuple[str, Mapping[str, Any]]:
    """A statement as text for the driver, and the values that are always the same."""
    compiled: Any = cast("Any", statement).compile(dialect=_DIALECT)
    constants: dict[str, Any] = compiled.params
    return str(compiled), constants


def _run(driver: sqlite3.Connection, statement: Executable, values: Mapping[str, Any]) -> sqlite3.Cursor:
    text, constants = _compiled(statement)
    return driver.execute(text, {**constants, **values})


@contextmanager
def _transaction(driver: sqlite3.Connection) -> Generator[sqlite3.Connection, None, None]:
    driver.execute("BEGIN IMMEDIATE")
    try:
        yield driver
        driver.execute("COMMIT")
    except BaseException:
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        raise


def _named(row: Row) -> dict[str, Any]:
    return dict(zip(ENTRY_COLUMNS, row, strict=True))


def _use_wal(connection: sqlite3.Connection, tries: int = 100) -> None:
    """Switch a file to write-ahead logging, which it keeps.

    When several processes open a new file at once, SQLite sees a deadlock and refuses instead of waiting. So this
    waits for its turn with a transaction, and tries again.
    """
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not tries:
            raise
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("COMMIT")
        _use_wal(connection, tries - 1)


_OPTIONS = {"synchronous": "full", "timeout": "30"}
_DAY = 86_400


def _parsed(url: str) -> tuple[str, str, float]:
    """The file (or `:memory:`), the mode of synchronisation and the seconds to wait that a URL asks for."""
    parts = re.fullmatch(r"sqlite://(/[^?]+)?(?:[?](.*))?", url, re.DOTALL)
    if parts is None:
        raise OptionError(
            f"{redacted(url)!r} names no SQLite database: write sqlite:///relative.db, sqlite:////absolute.db or sqlite://"
        )
    given = parse_qs(parts[2] or "", keep_blank_values=True)
    if unknown := sorted(given.keys() - _OPTIONS.keys()):
        raise OptionError(f"{redacted(url)!r} has an unknown option {unknown[0]!r}; known are {', '.join(_OPTIONS)}")
    options = _OPTIONS | {name: ",".join(values) for name, values in given.items()}
    return (
        _file(unquote(parts[1] or "/:memory:")[1:]),
        _synchronous(options["synchronous"]),
        _seconds(options["timeout"]),
    )


def _file(database: str) -> str:
    if database == ":memory:":
        return database
    # Absolute at once: connections are opened as they are needed, and the process may change its folder.
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
