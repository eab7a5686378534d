"""The connections to an SQLite database that the threads of a process have open."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import QueuePool, StaticPool

from memzoo.forks import new_rlock, watch

__all__ = ["ConnectionPool", "PooledConnection"]


class PooledConnection:
    """A connection that a thread keeps, and the lock under which it is used and closed.

    Attributes:
        connection: As SQLAlchemy sees it.
        driver: The same one, as its driver sees it.
        lock: See above.
        is_closed: Whether another thread has closed it.
    """

    def __init__(self, connection: Connection, lock: "threading.RLock") -> None:
        self.connection = connection
        self.driver: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]
        self.lock = lock
        self.is_closed = False
        self.pid = os.getpid()

    def close(self) -> None:
        """Close it, under its lock; its connection may then serve another thread."""
        self.is_closed = True
        self.connection.close()


class ConnectionPool:
    """Gives each thread a connection of its own; a database in memory has only one, which all share.

    A fork closes all connections to a file first, and parent and child open new ones: what SQLite knows about its
    locks belongs to one process, and a connection that a child inherits would spoil even those that the child opens.

    Args:
        connect: Opens a connection.
        shared: For a database in memory, the lock under which its only connection is used.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, shared: "threading.RLock | None" = None) -> None:
        # A thread that ends gives its connection back, with a rollback: of the one that all share, it would end what
        # another thread has begun.
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
        """The connection of this thread."""
        held: PooledConnection | None = getattr(self._thread, "held", None)
        if held is None or held.is_closed or held.pid != os.getpid():
            held = self._thread.held = self._open(held)
        return held

    def close(self) -> None:
        """Close all connections; one that is in use for longer is closed when its thread lets go of it."""
        with self._opening:
            self._let_go(patience=1)

    def before_fork(self) -> None:
        """Close all connections, and let none be opened until `after_fork`."""
        self._opening.acquire()
        self._is_forking = True
        self._let_go()

    def after_fork(self) -> None:
        """In the parent and in the child: new ones may be opened."""
        if self._is_forking:
            self._is_forking = False
            self._opening.release()

    def _open(self, before: PooledConnection | None) -> PooledConnection:
        with self._opening:
            if before is not None and before.pid != os.getpid() and self._shared is None:
                # Forked without a word before: what is inherited must not even be closed.
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
