"""Threads, tasks and processes that share a PostgreSQL database."""

import asyncio
import contextlib
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from memzoo.errors import StoreError
from memzoo.stores import Record, SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import fill, records
from tests.forking import in_child, run_program
from tests.postgres import connected
from tests.stores.writing import check_processes_lose_nothing

FORK = """
import os, sys
from memzoo.stores import Record, SQLStore
from memzoo.sync import drive

store = SQLStore(sys.argv[1])
drive(store.append("c", [Record({"role": "user"})], turn_id="before"))
child = os.fork()
drive(store.append("c", [Record({"role": "user"})], turn_id="child" if child == 0 else "parent"))
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
drive(store.append("c", [Record({"role": "user"})], turn_id="after"))
store.close()
"""


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A new store in PostgreSQL that has a conversation."""
    with contextlib.closing(SQLStore(postgres_url)) as store:
        fill(store, "c", "first")
        yield store


@pytest.fixture
def other(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    """Another connection to the same tables."""
    with connected(postgres_url) as connection:
        yield connection


@contextlib.contextmanager
def locked(other: psycopg.Connection[Any]) -> Generator[None, None, None]:
    """The conversation is in the hands of another writer."""
    with other.transaction():
        other.execute("SELECT FROM memzoo_conversations WHERE id = 'c' FOR UPDATE")
        yield


def wait_for_waiting(url: str) -> None:
    """Return when a connection waits for a lock."""
    with connected(url) as watcher:
        while not watcher.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
            pass


def test_processes_lose_nothing(postgres_url: str):
    """Three processes create the tables, save turns, the same ones among them, and count in a state, all at once."""
    check_processes_lose_nothing(postgres_url, "012", turns=10)


def test_a_turn_that_another_is_storing_is_stored_once(store: SQLStore, postgres_url: str):
    """Who saves a turn while another does, and has not committed, gets what the other stored; no number is lost."""
    with (
        contextlib.closing(SQLStore(postgres_url)) as second,
        connected(postgres_url) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        with locked(other):
            one = threads.submit(drive, store.append("c", records("one", "one"), turn_id="2"))
            two = threads.submit(drive, second.append("c", records("two", "two"), turn_id="2"))
            while other.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() != (2,):
                pass
        assert one.result() == two.result()
    entries = fill(store, "c", "last")
    assert [(entry.seq, entry.turn_id) for entry in drive(store.read("c"))][1:3] == [(2, "2"), (3, "2")]
    assert entries[0].seq == 4


def test_a_turn_that_another_is_clearing_is_stored(store: SQLStore, postgres_url: str):
    """Who saves a turn that is there while another clears the conversation stores it anew, with a new version."""
    before = drive(store.read_state("c", "s")).version
    with connected(postgres_url) as other, ThreadPoolExecutor(1) as threads:
        with other.transaction():
            other.execute("DELETE FROM memzoo_conversations WHERE id = 'c'")
            other.execute("DELETE FROM memzoo_messages WHERE conversation_id = 'c'")
            saving = threads.submit(drive, store.append("c", records("again"), turn_id="new"))
            wait_for_waiting(postgres_url)
        assert [entry.seq for entry in saving.result()] == [1]
    assert drive(store.read_state("c", "s")).version > before


def test_the_event_loop_goes_on(store: SQLStore, other: psycopg.Connection[Any], postgres_url: str):
    """While a task waits for another writer's lock, readers and other conversations do not."""

    async def work() -> list[int]:
        with locked(other):
            waiting = asyncio.create_task(store.append("c", records("waiting"), turn_id="2"))
            await store.append("other", records("at once"), turn_id="1")
            await asyncio.to_thread(wait_for_waiting, postgres_url)
            await store.append("other", records("at once"), turn_id="2")
            assert len(await store.read("c")) == 1
            assert not waiting.done()
        return [entry.seq for entry in await waiting]

    assert asyncio.run(work()) == [2]


def test_a_cancelled_task_leaves_nothing(store: SQLStore, other: psycopg.Connection[Any], postgres_url: str):
    """A save that is cancelled while it waits is not stored, and its connection is fit for use or gone."""

    async def work() -> None:
        with locked(other):
            waiting = asyncio.create_task(store.append("c", records("cancelled"), turn_id="2"))
            await asyncio.to_thread(wait_for_waiting, postgres_url)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert [entry.seq for entry in await store.append("c", records("kept"), turn_id="3")] == [2]

    asyncio.run(work())
    assert [entry.turn_id for entry in drive(store.read("c"))][1:] == ["3"]


def test_more_tasks_than_connections(postgres_url: str, monkeypatch: pytest.MonkeyPatch):
    """Fifty tasks share two connections; no more than those are ever opened."""
    opened: list[object] = []
    connect = psycopg.AsyncConnection.connect

    async def see(*args: Any, **kwargs: Any) -> Any:
        opened.append(connection := await connect(*args, **kwargs))
        return connection

    async def work() -> None:
        await asyncio.gather(*(store.append(f"c-{n % 7}", records("a"), turn_id=str(n)) for n in range(50)))

    monkeypatch.setattr("psycopg.AsyncConnection.connect", see)
    with contextlib.closing(SQLStore(f"{postgres_url}&pool_size=2")) as store:
        asyncio.run(work())
    assert len(opened) == 2


def test_one_event_loop_after_the_other(store: SQLStore):
    """A store can be used in a loop, without one, and in another loop, also at the same time in several threads."""

    def run(number: int) -> None:
        asyncio.run(store.append("c", records("a"), turn_id=f"loop-{number}"))

    for number in range(3):
        run(number)
        fill(store, "c", str(number))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(run, range(3, 11)))
    assert len(drive(store.read("c"))) == 1 + 3 + 3 + 8


def test_a_writer_that_never_ends_is_an_error(store: SQLStore, other: psycopg.Connection[Any], postgres_url: str):
    """Who cannot get at the conversation in time is told so, but not what it was, and can write afterwards."""
    with contextlib.closing(SQLStore(f"{postgres_url}&timeout=1")) as hasty:
        with locked(other), pytest.raises(StoreError, match="lock timeout") as caught:
            fill(hasty, "c", "hello")
        assert "hello" not in str(caught.value.__cause__)
        assert [entry.seq for entry in fill(hasty, "c", "hello")] == [2]


def test_a_fork_has_connections_of_its_own(postgres_url: str):
    """A process that was forked with a store in use does not talk on its parent's connections."""
    assert run_program(FORK, postgres_url) == 0
    with contextlib.closing(SQLStore(postgres_url)) as store:
        assert {entry.turn_id for entry in drive(store.read("c"))} == {"before", "child", "parent", "after"}


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_child_that_closes_the_store_ends_nothing_of_its_parent(store: SQLStore, postgres_url: str):
    """Connections that were idle at the fork still serve the parent, its event loop too, after the child has closed."""

    async def work() -> None:
        await store.append("c", [Record({"role": "user"})], turn_id="loop")
        before = sessions(postgres_url)
        in_child(store.close)
        assert sessions(postgres_url) == before
        await store.append("c", [Record({"role": "user"})], turn_id="loop, after")

    asyncio.run(work())
    fill(store, "c", "after")
    assert len(drive(store.read("c"))) == 4


def sessions(url: str) -> set[int]:
    """The server's processes for the connections of others."""
    # Not those of this function, of which the server may not have ended the last one yet, nor the server's own, such as
    # autovacuum.
    query = (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'looking' "
        "AND backend_type = 'client backend'"
    )
    with connected(f"{url}&application_name=looking") as connection:
        return {pid for (pid,) in connection.execute(query)}


def test_what_is_forgotten_is_what_is_there_at_last(store: SQLStore, other: psycopg.Connection[Any], postgres_url: str):
    """Who forgets waits for a writer of the conversation first, and then sees what that one has stored."""
    with ThreadPoolExecutor(1) as threads:
        with other.transaction():
            other.execute("UPDATE memzoo_conversations SET last_seq = 2 WHERE id = 'c'")
            other.execute(
                "INSERT INTO memzoo_messages (conversation_id, seq, turn_id, message, fields, created_at, place)"
                " SELECT 'c', 2, 'other', message, fields, created_at, 0 FROM memzoo_messages WHERE seq = 1"
            )
            forgetting = threads.submit(drive, store.forget("c", [1, 2]))
            wait_for_waiting(postgres_url)
        assert forgetting.result() == [1, 2]
    assert drive(store.read("c")) == []
