"""For testing stores and indexes of your own: contract suites to inherit. They need pytest.

`PlainStoreContract` is for a `Store`, `StoreContract` for a `ManagedStore`, `TombstoneStoreContract` for a
`TombstoneStore`, `LeasingStoreContract` for a `LeasingStore`.

Example::

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self) -> Iterator[Store]:
            with contextlib.closing(MyStore()) as store:
                yield store
"""

import pytest

# Before they are imported: pytest shows what an `assert` compared only in modules that it was told of.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in ("contract", "managed_contract", "tombstone_contract", "lease_contract", "index_contract", "tools")
    )
)

from memzoo.stores.testing.contract import PlainStoreContract  # noqa: E402
from memzoo.stores.testing.index_contract import VectorIndexContract  # noqa: E402
from memzoo.stores.testing.lease_contract import LeasingStoreContract  # noqa: E402
from memzoo.stores.testing.managed_contract import StoreContract  # noqa: E402
from memzoo.stores.testing.tombstone_contract import TombstoneStoreContract  # noqa: E402
from memzoo.stores.testing.tools import HOSTILE_IDS, vector  # noqa: E402

__all__ = [
    "HOSTILE_IDS",
    "LeasingStoreContract",
    "PlainStoreContract",
    "StoreContract",
    "TombstoneStoreContract",
    "VectorIndexContract",
    "vector",
]
