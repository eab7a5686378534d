"""What the store in PostgreSQL does when connections break, servers end, or URLs are wrong."""

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from memzoo.errors import MissingExtraError, OptionError, StoreError
from memzoo.stores import Entry, SQLStore, open_store
from memzoo.sync import drive
from memzoo.testing.store_tools import fill, records
from tests.postgres import PostgresServer, connected

OTHERS = "FROM pg_stat_activity WHERE application_name = 'victim'"
Save = Callable[[str], list[Entry]]


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A new store in PostgreSQL, whose connections can be told from others."""
    with contextlib.closing(SQLStore(f"{postgres_url}&application_name=victim")) as store:
        yield store
    gc.collect()


@pytest.fixture(params=["blocking", "awaiting"])
def save(request: pytest.FixtureRequest, store: SQLStore) -> Iterator[Save]:
    """Saves a turn: synchronously, or in an event loop."""
    if request.param == "blocking":
        yield lambda turn: fill(store, "c", turn)
        return
    with asyncio.Runner() as runner:
        yield lambda turn: runner.run(store.append("c", records(turn), turn_id=turn))


def test_a_cut_connection_is_replaced(store: SQLStore, save: Save, postgres_url: str):
    """Connections that the server cut while they were idle are not noticed by anybody."""
    for turn in range(3):
        assert [entry.seq for entry in save(str(turn))] == [turn + 1]
        with connected(postgres_url) as other:
            assert other.execute(f"SELECT pg_terminate_backend(pid, 5000) {OTHERS}".encode()).fetchall()


def test_a_connection_cut_in_the_middle_is_an_error(store: SQLStore, save: Save, postgres_url: str):
    """A save that is cut off says so, leaves nothing, and can be tried again."""
    save("first")
    with connected(postgres_url) as other, connected(postgres_url) as admin, ThreadPoolExecutor(1) as threads:
        with other.transaction():
            other.execute("SELECT FROM memzoo_conversations FOR UPDATE")
            saving = threads.submit(save, "second")
            while not admin.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
                pass
            admin.execute(f"SELECT pg_terminate_backend(pid, 5000) {OTHERS}".encode())
        with pytest.raises(StoreError, match=r"postgresql://.*: terminating connection"):
            saving.result()
    assert len(drive(store.read("c"))) == 1
    assert [entry.seq for entry in save("second")] == [2]


def test_a_server_that_ends_and_comes_back(store: SQLStore, save: Save, postgres_server: PostgresServer):
    """Without a server each call is an error that names it; with the server back, all is there and goes on."""
    save("first")
    postgres_server.stop()
    try:
        for _ in range(2):
            with pytest.raises(StoreError, match=r"postgresql://.*: connection (failed|is bad)"):
                save("second")
    finally:
        postgres_server.start()
    assert [entry.seq for entry in save("second")] == [2]


def test_no_server_is_an_error_without_the_password():
    """The message names the place, not the password."""
    with pytest.raises(StoreError, match=r"postgresql://127\.0\.0\.1:1/db: connection failed.*refused") as caught:
        open_store("postgres://me:secret@127.0.0.1:1/db?password=secret")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("postgresql://me:secret@host:port/db", "postgresql://user:password@host:5432/database"),
        ("postgresql://me:secret@host/db?pool_size=0", "pool_size=0.*whole number.*pool_size=10"),
        ("postgresql://me:secret@host/db?timeout=soon", "timeout=soon"),
        ("postgresql://me:secret@host/db?connect_timeout=soon", "connect_timeout=soon.*connect_timeout=10"),
        ("postgresql://me:secret@host/db?prepare_threshold=-1", "prepare_threshold=-1.*whole number from 0"),
        ("postgresql://me:secret@host/db?prepare_threshold=None", "prepare_threshold=None"),
        ("postgresql://me:secret@host/db?row_factory=dict_row", "'row_factory' cannot be set in a URL"),
    ],
)
def test_mistakes_are_explained(url: str, hint: str):
    """An URL that cannot work is refused with the way to write it; the password stays out of the message."""
    with pytest.raises(OptionError, match=hint) as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_an_unknown_option_is_an_error(postgres_url: str):
    """What neither the store nor libpq knows is not passed over."""
    with pytest.raises(StoreError, match="no_such_option"):
        SQLStore(f"{postgres_url}&no_such_option=1")


def test_numbers_and_texts_of_the_url_reach_the_driver(postgres_url: str, monkeypatch: pytest.MonkeyPatch):
    """What psycopg takes as a number arrives as one, all else as text; without a word nothing is prepared."""
    given: list[dict[str, Any]] = []
    connect = psycopg.Connection.connect

    def see(*args: Any, **kwargs: Any) -> Any:
        given.append(kwargs)
        return connect(*args, **kwargs)

    monkeypatch.setattr("psycopg.Connection.connect", see)
    for options in ("", "&prepare_threshold=0&connect_timeout=7&sslmode=prefer&application_name=victim&keepalives=1"):
        SQLStore(postgres_url + options).close()
    plain, full = given
    assert (plain["prepare_threshold"], plain["connect_timeout"]) == (None, 30)
    assert (full["prepare_threshold"], full["connect_timeout"]) == (0, 7)
    assert (full["sslmode"], full["application_name"], full["keepalives"]) == ("prefer", "victim", "1")


@pytest.mark.parametrize("package", ["psycopg", "sqlalchemy.ext.asyncio"])
def test_without_the_driver_the_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch):
    """Where the driver, or what SQLAlchemy needs for it, is not installed, the message says what to install."""
    monkeypatch.delitem(sys.modules, "memzoo.stores.sql.postgres", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"PostgreSQL needs the 'postgres' extra.*memzoo\[postgres\]"):
        open_store("postgresql://host/db")


def test_a_closed_store_says_so(postgres_url: str):
    """After `close` every call is an error, in a loop too, a second `close` is none, and no connection is left."""
    store = SQLStore(f"{postgres_url}&application_name=victim")

    async def work() -> None:
        await store.append("c", records("a"), turn_id="1")
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            await store.read("c")

    asyncio.run(work())
    with pytest.raises(StoreError, match="closed"):
        drive(store.read("c"))
    with connected(postgres_url) as other:
        while other.execute(f"SELECT {OTHERS}".encode()).fetchall():
            pass


def test_a_dropped_store_closes_itself(postgres_url: str):
    """A store that nobody holds any more gives its connections back without a warning."""
    store: Any = SQLStore(f"{postgres_url}&application_name=victim")
    asyncio.run(store.append("c", records("a"), turn_id="1"))
    del store
    gc.collect()
    with connected(postgres_url) as other:
        while other.execute(f"SELECT {OTHERS}".encode()).fetchall():
            pass


def test_a_newer_schema_is_refused(postgres_url: str):
    """The tables of a later version are left alone, and the message says what to do."""
    SQLStore(postgres_url).close()
    with connected(postgres_url) as other:
        other.execute("UPDATE memzoo_meta SET value = value + 1 WHERE key = 'schema'")
    with pytest.raises(StoreError, match=r"its tables have version 2.* up to 1; upgrade memzoo"):
        SQLStore(postgres_url)


def test_ids_are_sorted_as_everywhere(postgres_url: str):
    """Whatever the language of the database, its texts are compared code point by code point."""
    SQLStore(postgres_url).close()
    with connected(postgres_url) as other:
        found = other.execute(
            "SELECT DISTINCT collation_name FROM information_schema.columns"
            " WHERE table_schema = current_schema AND data_type = 'text'"
        )
        assert found.fetchall() == [("C",)]


def test_an_id_that_is_too_long_is_refused(store: SQLStore):
    """An id that no index takes is an error that says so, and nothing is stored."""
    long = "".join(map(str, range(10_000)))
    for id_, turn in ((long, "1"), ("c", long)):
        with pytest.raises(StoreError, match="may have about 2,600 bytes"):
            drive(store.append(id_, records("a"), turn_id=turn))
    assert drive(store.conversations()) == []
    assert drive(store.read(long)) == []
    assert [entry.seq for entry in fill(store, "c", "a")] == [1]


def test_deleted_text_is_gone_from_the_tables(store: SQLStore, postgres_server: PostgresServer):
    """What was forgotten stays in a table's file until the server vacuums it; after a thorough scrub it is in none."""
    fill(store, "c", "xyzzy-kept", "xyzzy-gone")
    drive(store.forget("c", [2]))
    for thorough in (False, True):
        assert drive(store.scrub(thorough=thorough)) is thorough
        postgres_server.execute("CHECKPOINT")
        files = b"".join(path.read_bytes() for path in postgres_server.tables())
        assert (b"xyzzy-kept" in files, b"xyzzy-gone" in files) == (True, not thorough)
