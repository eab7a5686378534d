"""Every strategy keeps the contract."""

import pytest

from memzoo.memories import STRATEGIES
from memzoo.memories.testing import MemoryContract


class TestContract(MemoryContract):
    """The shipped contract, run over each of the seven."""

    @pytest.fixture(autouse=True, params=STRATEGIES)
    def _each(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(self), "strategy", STRATEGIES[request.param], raising=False)
