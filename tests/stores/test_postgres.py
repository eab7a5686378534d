"""The store in PostgreSQL, and the index there."""

import contextlib
from collections.abc import Iterator

import pytest

from memzoo.stores import PgVectorIndex, SQLStore, Store, VectorIndex
from memzoo.testing import LeasingStoreContract, TombstoneStoreContract, VectorIndexContract
from tests.postgres import awaiting


@pytest.fixture
def store(postgres_url: str) -> Iterator[SQLStore]:
    """A new store in PostgreSQL."""
    with contextlib.closing(SQLStore(postgres_url)) as store:
        yield store


class TestBlocking(LeasingStoreContract):
    """Called synchronously it keeps the contract; of the life of its data `test_equivalence` tells."""


class TestAwaiting(TombstoneStoreContract, LeasingStoreContract):
    """Awaited it keeps the contract."""

    @pytest.fixture
    def store(self, store: Store) -> Iterator[Store]:
        """The store, called from an event loop."""
        with awaiting(store) as awaited:
            yield awaited


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
