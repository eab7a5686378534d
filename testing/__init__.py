"""Tests to inherit (contracts) for your own memories, stores and indexes; and models with prepared replies.

The tests need pytest. Subclass `MemoryContract` for your own strategy::

    class TestMyMemory(MemoryContract):
        strategy = MyMemory

`StoreContract` is for a store, and tests everything that the store can do::

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self) -> Iterator[Store]:
            with contextlib.closing(MyStore()) as store:
                yield store
"""

import pkgutil

import pytest

# Register the modules before importing them: pytest shows the values of an `assert` only in registered modules.
pytest.register_assert_rewrite(*(f"{__name__}.{one.name}" for one in pkgutil.iter_modules(__path__)))

from memzoo.testing.contract import MemoryContract  # noqa: E402
from memzoo.testing.index_contract import VectorIndexContract  # noqa: E402
from memzoo.testing.scripted import ScriptedModel  # noqa: E402
from memzoo.testing.store_contract import StoreContract  # noqa: E402

__all__ = [
    "MemoryContract",
    "ScriptedModel",
    "StoreContract",
    "VectorIndexContract",
]
