"""The store in PostgreSQL, and the index there."""

import contextlib
from collections.abc import Iterator

import pytest

from memzoo.stores import PgVectorIndex, SQLStore, Store, VectorIndex
from memzoo.testing import StoreContract, VectorIndexContract
from tests.postgres import PostgresServer, awaiting, connected

EMPTY = b"""
DELETE FROM memzoo_conversations; DELETE FROM memzoo_messages; DELETE FROM memzoo_states; DELETE FROM memzoo_items;
DELETE FROM memzoo_embeddings; DELETE FROM memzoo_epochs; DELETE FROM memzoo_tombstones; DELETE FROM memzoo_leases
"""


@pytest.fixture(scope="module")
def kept(postgres_server: PostgresServer) -> Iterator[tuple[SQLStore, str]]:
    """A store in PostgreSQL, and its URL: to make a new one for each test would take most of the time."""
    url = postgres_server.new_url()
    with contextlib.closing(SQLStore(url)) as store:
        yield store, url


@pytest.fixture
def store(kept: tuple[SQLStore, str]) -> Iterator[SQLStore]:
    """The store in PostgreSQL, empty."""
    store, url = kept
    yield store
    with connected(url) as connection:
        connection.execute(EMPTY)


@pytest.fixture(scope="module")
def awaited(kept: tuple[SQLStore, str]) -> Iterator[Store]:
    """The store, called from an event loop."""
    with awaiting(kept[0]) as awaited:
        yield awaited


class TestBlocking(StoreContract):
    """Called synchronously it keeps the contract."""


class TestAwaiting(StoreContract):
    """Awaited it keeps the contract."""

    @pytest.fixture
    def store(self, store: Store, awaited: Store) -> Store:
        """The store, called from an event loop, empty."""
        return awaited


@pytest.fixture
def index(postgres_url: str) -> Iterator[VectorIndex]:
    """A new index in PostgreSQL."""
    with contextlib.closing(PgVectorIndex(postgres_url)) as index:
        yield index


class TestBlockingIndex(VectorIndexContract):
    """Called synchronously the index keeps the contract."""


class TestAwaitingIndex(VectorIndexContract):
    """Awaited the index keeps the contract."""

    @pytest.fixture
    def index(self, index: VectorIndex) -> Iterator[VectorIndex]:
        """The index, called from an event loop."""
        with awaiting(index) as awaited:
            yield awaited
