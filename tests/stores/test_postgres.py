"""The store in PostgreSQL."""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextvars import Context
from typing import Any, cast

import pytest

from memzoo.stores import SQLStore, Store
from memzoo.stores.testing import StoreContract


class Awaiting:
    """A store whose calls are awaited in an event loop of another thread, where they may suspend."""

    def __init__(self, store: Store) -> None:
        """Start the loop."""
        self._store, self._loop = store, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """The method of the store."""

        async def call(*args: Any, **kwargs: Any) -> Any:
            coroutine = getattr(self._store, name)(*args, **kwargs)
            # In a new context, which does not say that the call is a synchronous one.
            return Context().run(asyncio.run_coroutine_threadsafe, coroutine, self._loop).result()

        return call

    def close(self) -> None:
        """End the loop, then close the store."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._store.close()


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A new store in PostgreSQL."""
    with contextlib.closing(SQLStore(postgres_url)) as store:
        yield store


class TestBlocking(StoreContract):
    """Called synchronously it keeps the contract."""


class TestAwaiting(StoreContract):
    """Awaited it keeps the contract."""

    @pytest.fixture
    def store(self, postgres_url: str) -> Iterator[Store]:
        """A new one."""
        with contextlib.closing(Awaiting(SQLStore(postgres_url))) as store:
            yield cast("Store", store)
