"""Every strategy keeps the contract, one of them over SQLite."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from memzoo.memories import STRATEGIES
from memzoo.stores import InMemoryStore, Store, open_store
from memzoo.stores.base import managed
from memzoo.sync import drive
from memzoo.testing import MemoryContract


@pytest.fixture
def memory() -> Store:
    """A store in memory."""
    return InMemoryStore()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store in a file, which need not outlive a power failure."""
    place = tmp_path_factory.mktemp("contract") / "memories.db"
    with contextlib.closing(open_store(f"sqlite:///{place}?synchronous=normal")) as store:
        yield store


@pytest.fixture
def sqlite(file: Store) -> Iterator[Store]:
    """The store in a file, empty; to make a new one for each test would take most of the time."""
    yield file
    for id_ in drive(managed(file, "conversations").conversations()):
        drive(file.clear(id_))


# One with a state of many items; the tests of stores show what each store keeps.
PAIRS = [(name, "sqlite" if name == "entity" else "memory") for name in STRATEGIES]


class TestContract(MemoryContract):
    """The shipped contract, run over each of the seven."""

    store: Store

    @pytest.fixture(autouse=True, params=PAIRS, ids="-".join)
    def _each(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        name, store = request.param
        monkeypatch.setattr(type(self), "strategy", STRATEGIES[name], raising=False)
        self.store = request.getfixturevalue(store)

    def options(self) -> dict[str, Any]:
        """All memories of a test share a store; the one over SQLite asks its model through the client, as users do."""
        asked = {"llm": "offline"} if self.asks_model and not isinstance(self.store, InMemoryStore) else {}
        return {**super().options(), "store": self.store, **asked}
