"""A process's open connections to an SQLite database."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import QueuePool, StaticPool

from memzoo.forks import new_rlock, watch


class PooledConnection:
    """A thread's connection, and the lock for using and closing it.

    Attributes:
        connection: The connection as SQLAlchemy's object.
        driver: The same connection as the driver's object.
        lock: The lock for using and closing the connection.
        is_closed: True once the connection is closed, perhaps by another thread.
    """

    def __init__(self, connection: Connection, lock: "threading.RLock") -> None:
        self.connection = connection
        self.driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        self.lock = lock
        self.is_closed = False
        self.pid = os.getpid()

    def close(self) -> None:
        """Close the connection. The caller must hold `lock`."""
        self.is_closed = True
        self.connection.close()


class ConnectionPool:
    """Gives each thread its own connection; for a database in memory, all threads share one connection.

    A forked process must not use its parent's connections to SQLite. So all connections to a file are closed before a
    fork; afterwards, parent and child open new ones.

    Args:
        connect: Opens a connection.
        shared: The lock for the only connection to a database in memory; `None` for a file.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, shared: "threading.RLock | None" = None) -> None:
        # A thread that ends returns its connection with a rollback; on the shared connection, the rollback would end
        # another thread's transaction.
        one_for_all = {"poolclass": StaticPool, "pool_reset_on_return": None}
        pool: dict[str, Any] = one_for_all if shared else {"poolclass": QueuePool, "max_overflow": -1}
        self._engine = create_engine("sqlite+pysqlite://", creator=connect, hide_parameters=True, **pool)
        self._shared = shared
        self._thread = threading.local()
        self._held = weakref.WeakSet[PooledConnection]()
        self._inherited: list[PooledConnection] = []
        self._opening, self._is_forking = new_rlock(), False
        if shared is None:
            watch(self)

    def of_thread(self) -> PooledConnection:
        """Return this thread's connection."""
        held: PooledConnection | None = getattr(self._thread, "held", None)
        if held is None or held.is_closed or held.pid != os.getpid():
            held = self._thread.held = self._open(held)
        return held

    def close(self) -> None:
        """Close all connections, after waiting up to a second for each connection in use."""
        with self._opening:
            self._let_go(patience=1)

    def before_fork(self) -> None:
        """Close all connections, and open none until `after_fork`."""
        self._opening.acquire()
        self._is_forking = True
        self._let_go()

    def after_fork(self) -> None:
        """Allow new connections, in the parent and in the child."""
        if self._is_forking:
            self._is_forking = False
            self._opening.release()

    def _open(self, before: PooledConnection | None) -> PooledConnection:
        with self._opening:
            if before is not None and before.pid != os.getpid() and self._shared is None:
                # Forked without `before_fork`: inherited connections must not even be closed.
                self._inherited.append(before)
                self._engine.dispose(close=False)
            held = PooledConnection(self._engine.connect(), self._shared or new_rlock())
            self._held.add(held)
            return held

    def _let_go(self, patience: float = -1) -> None:
        for one in list(self._held):
            if one.pid == os.getpid() and one.lock.acquire(timeout=patience):
                one.close()
                one.lock.release()
        self._engine.dispose()
