"""How the SQL store connects to SQLite, locks it, and tells what went wrong."""

import re
import sqlite3
import threading
import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote

from sqlalchemy import URL, Connection, create_engine, event, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from memzoo.stores.errors import OptionError, StoreError
from memzoo.stores.sql.database import Row, Turn
from memzoo.stores.sql.schema import conversations, meta
from memzoo.stores.sql.statements import ADD, CONVERSATION, ENTRY_COLUMNS, Statements

__all__ = ["SQLite"]

T = TypeVar("T")

# `floor` is the highest version that a cleared conversation had: who is born later starts above it, so
# that no version of a conversation is ever used again, although nothing is kept of it.
_FLOOR = update(meta).where(meta.c.key == "floor")
_REVISION = select(conversations.c.revision).where(conversations.c.id == CONVERSATION).scalar_subquery()
_STATEMENTS = Statements(
    insert,
    first_version=select(meta.c.value + 1).where(meta.c.key == "floor").scalar_subquery(),
    next_version=conversations.c.revision + 1,
    retire=_FLOOR.where(meta.c.value < _REVISION).values(value=_REVISION),
)


class SQLite:
    """Connections to an SQLite database, and the errors that come over them."""

    def __init__(self, url: str) -> None:
        """Nothing is opened yet: that happens with the first transaction."""
        database, synchronous, timeout = _parsed(url)
        in_memory = database == ":memory:"
        self.name = database
        self.statements = _STATEMENTS
        self._engine = create_engine(
            URL.create("sqlite+pysqlite", database=database),
            connect_args={"timeout": timeout, "isolation_level": None, "check_same_thread": False},
            hide_parameters=True,
            **({"poolclass": StaticPool} if in_memory else {"poolclass": QueuePool, "max_overflow": -1}),
        )

        @event.listens_for(self._engine, "connect")
        def prepare(connection: sqlite3.Connection, _: object) -> None:
            _use_wal(connection)
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA secure_delete = ON")

        # Writers of this process queue here, in turn and awake at once, rather than poll for SQLite's lock;
        # readers of an in-memory database join them, because they share its only connection.
        self._write_lock: AbstractContextManager[object] = threading.RLock()
        self._read_lock = self._write_lock if in_memory else nullcontext()
        self.close = weakref.finalize(self, self._engine.dispose)

    async def reading(self, work: Callable[[Connection], T]) -> T:
        """See `Database.reading`."""
        with self._checked(self._read_lock), self._engine.connect() as connection:
            return work(connection)

    async def writing(self, work: Callable[[Connection], T]) -> T:
        """See `Database.writing`; the transaction is alone in writing from its first statement on.

        A deferred one, which would read first and ask for the lock later, fails as soon as another has written.
        """
        with self._checked(self._write_lock), self._engine.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return work(connection)

    async def append(self, turn: Turn) -> Sequence[Row]:
        """See `Database.append`."""

        def work(connection: Connection) -> Sequence[Row]:
            if stored := turn.stored(connection):
                return stored
            new = {**turn.ids, "count": len(turn.messages), "created_at": turn.created_at}
            rows = turn.rows(connection.execute(_STATEMENTS.grow, new).scalar_one())
            connection.execute(ADD, [turn.ids | {"place": place} | _named(row) for place, row in enumerate(rows)])
            return rows

        return await self.writing(work)

    async def scrub(self, *, thorough: bool | None) -> bool:
        """Empty the write-ahead log into the file, which is rewritten before if asked for; whether it could be done."""
        with self._checked(self._write_lock), self._engine.connect() as connection:
            try:
                if thorough is not False:
                    connection.exec_driver_sql("VACUUM")
                held_up: int = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
            except OperationalError as error:
                if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                    raise
                return False
        return not held_up

    @contextmanager
    def _checked(self, lock: AbstractContextManager[object]) -> Generator[None, None, None]:
        if not self.close.alive:
            raise StoreError(f"{self.name}: this store is closed")
        try:
            with lock:
                yield
        except (SQLAlchemyError, OverflowError) as error:
            raise StoreError(f"{self.name}: {getattr(error, 'orig', None) or error}") from error


def _named(row: Row) -> dict[str, Any]:
    return dict(zip(ENTRY_COLUMNS, row, strict=True))


def _use_wal(connection: sqlite3.Connection, tries: int = 100) -> None:
    """Switch a file to write-ahead logging, which it keeps.

    Where several processes open a new file at once, SQLite takes them for deadlocked and refuses without waiting
    for a turn. So this waits for one with a transaction, and tries again.
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
            f"{url!r} names no SQLite database: write sqlite:///relative.db, sqlite:////absolute.db or sqlite://"
        )
    given = parse_qs(parts[2] or "", keep_blank_values=True)
    if unknown := sorted(given.keys() - _OPTIONS.keys()):
        raise OptionError(f"{url!r} has an unknown option {unknown[0]!r}; known are {', '.join(_OPTIONS)}")
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
