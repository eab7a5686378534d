"""Every strategy keeps the contract, on every kind of store."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import STRATEGIES
from memzoo.memories.testing.contract import MemoryContract
from memzoo.stores import InMemoryStore, Store, managed, open_store
from memzoo.stores.driving import drive
from tests.postgres import PostgresServer


@pytest.fixture
def memory() -> Store:
    """A store in memory."""
    return InMemoryStore()


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    """A store in a new file."""
    with contextlib.closing(open_store(f"sqlite:///{tmp_path}/memories.db")) as store:
        yield store


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer) -> Iterator[Store]:
    """A store in PostgreSQL."""
    with contextlib.closing(open_store(postgres_server.new_url())) as store:
        yield store


@pytest.fixture
def postgres(database: Store) -> Iterator[Store]:
    """That store, empty; to make a new one for each test would take most of the time."""
    yield database
    for id_ in drive(managed(database, "conversations").conversations()):
        drive(database.clear(id_))


# These keep no state, items, embeddings: that a server keeps each as the others do, the tests of stores show for all.
ON_A_SERVER = ("buffer", "entity", "vector-retriever")
PAIRS = [*itertools.product(STRATEGIES, ["memory", "sqlite"]), *((name, "postgres") for name in ON_A_SERVER)]


class TestContract(MemoryContract):
    """The shipped contract, run over each of the seven."""

    store: Store

    @pytest.fixture(autouse=True, params=PAIRS, ids="-".join)
    def _each(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        name, store = request.param
        monkeypatch.setattr(type(self), "strategy", STRATEGIES[name], raising=False)
        self.store = request.getfixturevalue(store)

    def options(self) -> dict[str, Any]:
        """All memories of a test share a store; without an id each has a conversation of its own."""
        return {**super().options(), "store": self.store}
