"""For testing stores and indexes of your own: contract suites to inherit. They need pytest.

`PlainStoreContract` is for a `Store`, `StoreContract` for a `ManagedStore`.

Example::

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self) -> Iterator[Store]:
            with contextlib.closing(MyStore()) as store:
                yield store
"""

from memzoo.stores.testing.contract import PlainStoreContract, StoreContract
from memzoo.stores.testing.index_contract import VectorIndexContract
from memzoo.stores.testing.tools import HOSTILE_IDS, same, vector

__all__ = ["HOSTILE_IDS", "PlainStoreContract", "StoreContract", "VectorIndexContract", "same", "vector"]
