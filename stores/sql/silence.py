"""Connections to PostgreSQL that give up on a silent server.

A hung pooler keeps the connection open, but never answers. The server's and TCP's time-outs do not notice this.
"""

from collections.abc import Generator
from time import monotonic
from typing import Any, TypeVar

import psycopg

__all__ = ["AwaitedConnection", "BlockingConnection"]

T = TypeVar("T")


class BlockingConnection(psycopg.Connection[Any]):
    """A connection for synchronous calls.

    Attributes:
        patience: The seconds of silence after which the connection is closed and the call fails.
    """

    patience: float

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run a step of the protocol, given as the generator `gen`, and return its result."""
        return super().wait(_bounded(gen, self), *args, **kwargs)


class AwaitedConnection(psycopg.AsyncConnection[Any]):
    """A connection for an event loop.

    Attributes:
        patience: The seconds of silence after which the connection is closed and the call fails.
    """

    patience: float

    async def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """Run a step of the protocol, given as the generator `gen`, and return its result."""
        return await super().wait(_bounded(gen, self), *args, **kwargs)


def _bounded(gen: Generator[Any, Any, T], connection: BlockingConnection | AwaitedConnection) -> Generator[Any, Any, T]:
    """Run a step, and fail if the socket is not ready for too long; psycopg polls the socket every 0.1 seconds."""
    patience = connection.patience
    try:
        wanted = next(gen)
        end = monotonic() + patience
        while True:
            ready = yield wanted
            if ready:
                end = monotonic() + patience
            elif monotonic() >= end:
                connection.pgconn.finish()  # the pool notices and discards a closed connection
                raise psycopg.OperationalError(
                    f"no answer for {patience:g} seconds (timeout= in the URL sets how long to wait)"
                )
            wanted = gen.send(ready)
    except StopIteration as done:
        result: T = done.value
        return result
