"""The store in memory."""

import pytest

from memzoo.stores import InMemoryStore, Store
from memzoo.testing import TombstoneStoreContract


class TestInMemoryStore(TombstoneStoreContract):
    """It keeps the contract."""

    @pytest.fixture
    def store(self) -> Store:
        """A new one."""
        return InMemoryStore()
