"""Every strategy keeps the contract, on every kind of store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memzoo.memories import STRATEGIES
from memzoo.memories.testing import MemoryContract
from memzoo.stores import InMemoryStore, Store, open_store


class TestContract(MemoryContract):
    """The shipped contract, run over each of the seven."""

    store: Store

    @pytest.fixture(autouse=True, params=STRATEGIES)
    def _each(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(self), "strategy", STRATEGIES[request.param], raising=False)

    @pytest.fixture(autouse=True, params=["memory", "sqlite"])
    def _store(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[None]:
        self.store = open_store(f"sqlite:///{tmp_path}/memories.db") if request.param == "sqlite" else InMemoryStore()
        yield
        self.store.close()

    def options(self) -> dict[str, Any]:
        """All memories of a test share a store; without an id each has a conversation of its own."""
        return {**super().options(), "store": self.store}
