"""Whatever statement of an operation fails, the rows are as before; only after the last one they are as they should be.

Each operation that writes is run again and again: the first statement fails, then the second, and so on.
"""

import contextlib
import functools
import sqlite3
from collections.abc import Callable, Coroutine, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

from memzoo.errors import StoreError
from memzoo.stores import Entry, SQLStore, StoredState
from memzoo.stores.sql import schema
from memzoo.sync import drive
from memzoo.testing.store_tools import commit, fill, records, vector
from tests.postgres import connected

TABLES = ("conversations", "messages", "states", "items", "embeddings", "epochs", "meta")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONFIDED = "said in confidence"
FAILED = "the disk is gone", "not authorized"

Operation = Callable[[SQLStore], Coroutine[Any, Any, Any]]


async def _commit(store: SQLStore) -> int:
    state = await store.read_state("c", "s")
    changes = {"a": 2, "b": None, "new": 1}
    return await store.commit("c", "s", expected=state.version, watermark=3, changes=changes, embeddings={3: vector(3)})


OPERATIONS: dict[str, Operation] = {
    "append": lambda store: store.append("c", records("more", "and more"), turn_id="new"),
    "append the first": lambda store: store.append("new", records("more", "and more"), turn_id="new"),
    "commit": _commit,
    "clear": lambda store: store.clear("c"),
    "forget": lambda store: store.forget("c", [1, 2]),
    "forget quietly": lambda store: store.forget("c", [1, 2], derived=False),
    "restore": lambda store: store.restore(
        "new",
        [Entry(seq, {"role": "user", "content": CONFIDED}, "1", NOW) for seq in (1, 2)],
        {"s": StoredState(2, {"a": 1}, {1: vector(1)}), "t": StoredState(1, {"b": 2})},
    ),
}
# In PostgreSQL an append is one statement.
FEWEST = {"append": 1, "append the first": 1, "commit": 4, "clear": 6, "forget": 7, "forget quietly": 5, "restore": 6}


class Failing:
    """Lets the statement of this number fail, counted from when it was set; 0 for none."""

    def __init__(self) -> None:
        self.left = 0

    def is_next(self) -> bool:
        """Count a statement that is to be executed; whether it is the one."""
        self.left -= 1
        return self.left == 0

    def see(self) -> None:
        """Count a statement.

        Raises:
            sqlite3.OperationalError: It is the one.
        """
        if self.is_next():
            raise sqlite3.OperationalError("the disk is gone")


def _refuse_commit(action: int, what: str | None, *_: object) -> int:
    is_commit = action == sqlite3.SQLITE_TRANSACTION and what == "COMMIT"
    return sqlite3.SQLITE_DENY if is_commit else sqlite3.SQLITE_OK


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Failing]:
    """Sees all statements that go to SQLite by its driver, and to PostgreSQL by SQLAlchemy."""
    failing = Failing()

    class Cursor(sqlite3.Cursor):
        def execute(self, *statement: Any) -> "Cursor":
            failing.see()
            return super().execute(*statement)  # type: ignore[return-value]

        def executemany(self, *statement: Any) -> "Cursor":
            failing.see()
            return super().executemany(*statement)  # type: ignore[return-value]

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = None) -> Any:
            return super().cursor(factory or Cursor)

        def execute(self, *statement: Any) -> Cursor:
            return Cursor(self).execute(*statement)

        def executemany(self, *statement: Any) -> Cursor:
            return Cursor(self).executemany(*statement)

        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
        ) -> Literal[False]:
            # SQLite itself refuses, so that the driver has to roll back.
            self.set_authorizer(_refuse_commit if failing.is_next() else None)
            return super().__exit__(kind, error, trace)

    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Connection))

    def see(connection: Any, *_: Any) -> None:
        if connection.dialect.name == "postgresql":
            try:
                failing.see()
            except sqlite3.OperationalError as error:
                raise OperationalError("", {}, error) from error

    event.listen(Engine, "before_cursor_execute", see)
    yield failing
    event.remove(Engine, "before_cursor_execute", see)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, url: str) -> str:
    """The URL of a new database of each kind."""
    return url if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@contextlib.contextmanager
def reader(place: str, file: Path) -> Generator[Any]:
    """A connection that shares nothing with the store."""
    if place.startswith("sqlite:"):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            yield connection
        return
    with connected(place) as connection:
        yield connection


def rows_of(connection: Any) -> dict[str, list[Any]]:
    """All rows that there are, without the versions, which PostgreSQL's sequence never gives twice."""
    found: dict[str, list[Any]] = {}
    for table in TABLES:
        cursor = connection.execute(f"SELECT * FROM memzoo_{table} ORDER BY 1, 2")  # noqa: S608
        names = [column[0] for column in cursor.description]
        found[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return found


def filled(store: SQLStore) -> None:
    """A conversation that has everything."""
    fill(store, "c", "one", "two", "three")
    commit(store, "c", {"a": 1, "b": 2}, watermark=3, embeddings={1: vector(1), 2: vector(2)})
    commit(store, "c", {}, strategy="vectors", watermark=3, embeddings={1: vector(1)})


@pytest.mark.parametrize("name", OPERATIONS)
def test_all_or_nothing(name: str, place: str, file: Path, failing: Failing):
    """Each statement of each operation fails once: nothing of it is there or in the error, and the store goes on."""
    with contextlib.closing(SQLStore(place, clock=lambda: NOW)) as store, reader(place, file) as other:
        filled(store)
        before, number = rows_of(other), 0
        for number in range(1, 50):
            failing.left = number
            try:
                drive(OPERATIONS[name](store))
            except StoreError as error:
                assert any(one in str(error) for one in FAILED)  # noqa: PT017 - the last one does not fail
                assert CONFIDED not in f"{error} {error.__cause__}"  # noqa: PT017
                failing.left = 0
                assert rows_of(other) == before
            else:
                break
        failing.left = 0
        assert number > FEWEST[name]
        assert rows_of(other) != before


def _add_mood(connection: Connection) -> None:
    """A step such as a later version may have."""
    for statement in (
        "ALTER TABLE memzoo_messages ADD COLUMN mood TEXT",
        "UPDATE memzoo_messages SET mood = 'good' WHERE seq > 1",
        "CREATE INDEX memzoo_messages_by_mood ON memzoo_messages (mood)",
    ):
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize("is_new", [True, False])
def test_an_upgrade_is_whole(url: str, file: Path, failing: Failing, monkeypatch: pytest.MonkeyPatch, *, is_new: bool):
    """Each statement of an upgrade fails once: the file stays as it was, and the next one that opens it upgrades it."""
    if not is_new:
        with contextlib.closing(SQLStore(url)) as store:
            filled(store)
        monkeypatch.setattr(schema, "STEPS", [_add_mood])
        monkeypatch.setattr(schema, "VERSION", 2)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        before = list(connection.iterdump())
    number = 0
    while True:
        number += 1
        failing.left = number
        try:
            SQLStore(url).close()
        except StoreError:
            failing.left = 0
            with contextlib.closing(sqlite3.connect(file)) as connection:
                assert list(connection.iterdump()) == before
        else:
            break
    assert number > 5
    failing.left = 0
    with contextlib.closing(sqlite3.connect(file)) as connection:
        found = connection.execute("SELECT value FROM memzoo_meta WHERE key = 'schema'").fetchone()
        assert found == (schema.VERSION,)
        if not is_new:
            assert connection.execute("SELECT mood FROM memzoo_messages").fetchall() == [(None,), ("good",), ("good",)]
    with contextlib.closing(SQLStore(url)) as store:
        assert len(drive(store.read("c"))) == (0 if is_new else 3)
