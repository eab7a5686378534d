"""Connections that a fork inherited without a word before, as one made in C gives none."""

import gc
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memzoo.stores.sql.connection_pool import ConnectionPool


class Opened:
    """Opens connections to a database, and keeps them."""

    def __init__(self, database: str) -> None:
        self.connections: list[sqlite3.Connection] = []
        self._database = database

    def __call__(self) -> sqlite3.Connection:
        """Another one."""
        self.connections.append(sqlite3.connect(self._database, check_same_thread=False))
        return self.connections[-1]


def in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on as a child does, which knows only by its number that it is one."""
    monkeypatch.setattr("os.getpid", lambda: -1)


def test_inherited_connections_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child opens its own; it neither uses, gives back nor closes the others, whether a thread has them or not."""
    opened = Opened(str(tmp_path / "a.db"))
    connections = ConnectionPool(opened)
    assert connections.of_thread().driver is opened.connections[0]
    opened.connections[0].execute("BEGIN")  # whoever gives it back ends this
    with ThreadPoolExecutor(1) as pool:
        pool.submit(connections.of_thread).result().close()
    in_a_child(monkeypatch)
    assert connections.of_thread().driver is opened.connections[2]
    gc.collect()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: connections.of_thread().driver).result() is opened.connections[3]
    connections.close()
    monkeypatch.undo()
    inherited, idle, *others = opened.connections
    assert inherited.in_transaction
    assert idle.execute("SELECT 1").fetchone() == (1,)
    for connection in others:
        with pytest.raises(sqlite3.ProgrammingError):
            connection.execute("SELECT 1")
    inherited.close()
    idle.close()


def test_a_database_in_memory_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child has a copy of it, behind the only connection that there is."""
    opened = Opened(":memory:")
    connections = ConnectionPool(opened, shared=threading.RLock())
    first = connections.of_thread().driver
    in_a_child(monkeypatch)
    assert connections.of_thread().driver is first
    monkeypatch.undo()
    connections.close()
    assert len(opened.connections) == 1


def test_the_end_of_a_thread_ends_no_transaction_of_another() -> None:
    """All threads share the connection to a database in memory; one that ends leaves the work of others alone."""
    connections = ConnectionPool(Opened(":memory:"), shared=threading.RLock())
    driver = connections.of_thread().driver
    driver.execute("BEGIN")
    other = threading.Thread(target=connections.of_thread)
    other.start()
    other.join()
    gc.collect()
    assert driver.in_transaction
    connections.close()


def test_a_connection_that_is_closed_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Its lock is free: a thread that was about to use it finds it closed, and opens another."""
    connections = ConnectionPool(Opened(str(tmp_path / "a.db")))
    held = connections.of_thread()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(connections.close).result()
    assert held.is_closed
    assert held.lock.acquire(blocking=False)
    assert connections.of_thread() is not held
    connections.close()
