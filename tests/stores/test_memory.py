"""The store in memory."""

import pytest

from memzoo.stores import InMemoryStore, Store
from memzoo.testing import StoreContract


class TestInMemoryStore(StoreContract):
    """It keeps the contract."""

    @pytest.fixture
    def store(self) -> Store:
        """A new one."""
        return InMemoryStore()
