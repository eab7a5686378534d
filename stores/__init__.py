"""Stores keep messages and the states learnt from them; an index searches embeddings."""

import importlib
from typing import TYPE_CHECKING, Any

from memzoo.stores.base import (
    JSON,
    Entries,
    Entry,
    Lease,
    LeasingStore,
    ManagedStore,
    Message,
    Record,
    StateUpdate,
    Store,
    StoredState,
)
from memzoo.stores.memory import InMemoryStore
from memzoo.sync import Closing

if TYPE_CHECKING:
    from memzoo.stores.encryption import EncryptedStore
    from memzoo.stores.indexes.chroma import ChromaIndex
    from memzoo.stores.indexes.index import VectorIndex
    from memzoo.stores.indexes.pgvector import PgVectorIndex
    from memzoo.stores.message_list import MessageListStore
    from memzoo.stores.opening import open_store
    from memzoo.stores.sql.store import SQLStore
    from memzoo.stores.transfer import (
        export_conversation,
        import_conversation,
    )

__all__ = [
    "JSON",
    "ChromaIndex",
    "Closing",
    "EncryptedStore",
    "Entries",
    "Entry",
    "InMemoryStore",
    "Lease",
    "LeasingStore",
    "ManagedStore",
    "Message",
    "MessageListStore",
    "PgVectorIndex",
    "Record",
    "SQLStore",
    "StateUpdate",
    "Store",
    "StoredState",
    "VectorIndex",
    "export_conversation",
    "import_conversation",
    "open_store",
]


# Most programs begin with conversations in memory; SQLAlchemy and Chroma take longer to load than everything else.
_PLACES = {
    "encryption": "EncryptedStore",
    "indexes.chroma": "ChromaIndex",
    "indexes.index": "VectorIndex",
    "indexes.pgvector": "PgVectorIndex",
    "message_list": "MessageListStore",
    "opening": "open_store",
    "sql.store": "SQLStore",
    "transfer": "export_conversation import_conversation",
}
_LAZY = {name: module for module, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"memzoo.stores.{_LAZY[name]}"), name)
    return value
