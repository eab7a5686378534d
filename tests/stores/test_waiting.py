"""How long a call waits for other writers of an SQLite file, and what goes on meanwhile."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo.errors import StoreError
from memzoo.stores import Record, SQLStore
from memzoo.stores.sql import waiting
from memzoo.stores.sql.waiting import Deadline, WaitingExecutor
from memzoo.sync import drive
from memzoo.testing.store_tools import fill
from tests.forking import in_child

HELLO = [Record({"role": "user", "content": "hello"})]


@pytest.fixture
def other(store: SQLStore, file: Path) -> Iterator[sqlite3.Connection]:
    """Somebody else who has begun to write to the file."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set as soon as somebody waits for the file."""
    waits, pause = threading.Event(), Deadline.pause

    def seen(self: Deadline) -> bool:
        waits.set()
        return pause(self)

    monkeypatch.setattr(Deadline, "pause", seen)
    return waits


class Clock:
    """Time that passes only while somebody waits."""

    def __init__(self) -> None:
        self.began = self.now = waiting.monotonic()

    @property
    def passed(self) -> float:
        """The seconds since it was started."""
        return round(self.now - self.began, 6)

    def __call__(self) -> float:
        """Tell the time."""
        return self.now

    def wait(self, seconds: float) -> bool:
        """Let time pass; nobody gives up."""
        self.now += seconds
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of everybody who waits from now on."""
    clock = Clock()
    monkeypatch.setattr(waiting, "monotonic", clock)

    def wait(_: threading.Event, timeout: float) -> bool:
        return clock.wait(timeout)

    monkeypatch.setattr(threading.Event, "wait", wait)
    return clock


async def until(event: threading.Event) -> None:
    """Let the loop go round until then."""
    while not event.is_set():  # noqa: ASYNC110 - a thread sets it
        await asyncio.sleep(0)


def test_the_time_out_is_the_longest_wait(url: str, other: sqlite3.Connection, clock: Clock):
    """A call waits exactly as long as its URL says."""
    with contextlib.closing(SQLStore(f"{url}?timeout=5")) as store:
        with pytest.raises(StoreError, match="database is locked"):
            fill(store, "c", "hello")
        assert clock.passed == 5


def test_waiting_for_a_thread_counts(url: str, other: sqlite3.Connection, clock: Clock):
    """Who had to wait for a thread of the same process first has only the rest of the time for other processes."""

    class Slow:
        """A lock that is given back after three seconds."""

        waited = 0.0

        def acquire(self, timeout: float) -> bool:
            clock.now += timeout
            self.waited += timeout
            return self.waited >= 3

        def release(self) -> None: ...

    for seconds in (2, 5):
        with contextlib.closing(SQLStore(f"{url}?timeout={seconds}")) as store:
            store._database._write_lock = Slow()  # type: ignore[union-attr, assignment]
            clock.began = clock.now
            with pytest.raises(StoreError, match="database is locked"):
                fill(store, "c", "hello")
            assert clock.passed == seconds


def test_who_looks_does_not_queue_with_writers(store: SQLStore):
    """Reading, listing and checking take no lock: a writer of this process that never ends holds up none of them."""
    fill(store, "c", "hello")

    class Taken:
        """A lock that somebody else has."""

        def acquire(self, timeout: float) -> bool:
            raise AssertionError("it queues with the writers")

    store._database._write_lock = Taken()  # type: ignore[union-attr, assignment]
    assert len(drive(store.read("c"))) == 1
    assert drive(store.conversations()) == ["c"]
    assert drive(store.check()) == []


def test_a_loop_goes_on_while_a_call_waits(store: SQLStore, other: sqlite3.Connection, waits: threading.Event):
    """While saves wait for another process, the event loop does other things: here it is what ends their waiting."""

    async def run() -> None:
        saves = [asyncio.create_task(store.append("c", HELLO, turn_id=str(number))) for number in range(5)]
        await until(waits)
        assert await store.read("c") == []
        other.execute("ROLLBACK")
        assert sorted([entry.seq for entries in await asyncio.gather(*saves) for entry in entries]) == [1, 2, 3, 4, 5]

    asyncio.run(run())


def test_a_loop_goes_on_while_a_thread_writes(store: SQLStore, other: sqlite3.Connection, waits: threading.Event):
    """A save of the loop does not stop it while a thread of the same process waits for the file."""

    async def run() -> None:
        thread = threading.Thread(target=fill, args=(store, "c", "thread"))
        thread.start()
        await until(waits)
        save = asyncio.create_task(store.append("c", HELLO, turn_id="loop"))
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        await save
        thread.join()
        assert sorted(entry.message["content"] for entry in await store.read("c")) == ["hello", "thread"]

    asyncio.run(run())


def test_who_is_cancelled_while_waiting_stores_nothing(
    store: SQLStore, other: sqlite3.Connection, waits: threading.Event
):
    """A save that was cancelled while it waited for another process is over at once, and stores nothing later."""

    async def run() -> None:
        save = asyncio.create_task(store.append("c", HELLO, turn_id="1"))
        await until(waits)
        save.cancel()
        with pytest.raises(asyncio.CancelledError):
            await save
        other.execute("ROLLBACK")
        await store.append("c", HELLO, turn_id="2")
        await store.scrub()  # waits where the save did
        assert [entry.turn_id for entry in await store.read("c")] == ["2"]

    asyncio.run(run())


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # from Python 3.15 on, an error before the fork
def test_a_child_waits_in_a_thread_of_its_own():
    """What a forked process leaves to a thread does not wait for one that only its parent has."""
    executor = WaitingExecutor()

    def ask() -> None:
        assert asyncio.run(executor.run(lambda: 42, Deadline(1))) == 42

    ask()
    in_child(ask)


def test_a_closed_store_ends_waiting(store: SQLStore, other: sqlite3.Connection, waits: threading.Event):
    """Who waits for the file when the store is closed is told so."""
    outcome: list[Exception] = []

    def save() -> None:
        try:
            drive(store.append("c", HELLO, turn_id="1"))
        except StoreError as error:
            outcome.append(error)

    thread = threading.Thread(target=save)
    thread.start()
    waits.wait()
    store.close()
    thread.join()
    assert [str(error).endswith("this store is closed") for error in outcome] == [True]


def test_who_gives_up_tries_no_more():
    """A call that nobody waits for any more neither pauses nor waits for a lock, however much time it has left."""
    deadline, lock, held = Deadline(1000), threading.RLock(), threading.Event()
    ended = threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            ended.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    deadline.give_up()
    outcomes = [deadline.pause(), deadline.takes(lock), deadline.is_given_up]
    ended.set()
    thread.join()
    assert outcomes == [False, False, True]
