"""Stores keep messages and the states learnt from them; an index searches embeddings."""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy
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
    from memzoo.stores.transfer import export_conversation, import_conversation
else:
    # Most programs begin with conversations in memory; SQLAlchemy and Chroma take longer to load than everything else.
    __getattr__ = lazy(
        __name__,
        {
            "memzoo.stores.encryption": "EncryptedStore",
            "memzoo.stores.indexes.chroma": "ChromaIndex",
            "memzoo.stores.indexes.index": "VectorIndex",
            "memzoo.stores.indexes.pgvector": "PgVectorIndex",
            "memzoo.stores.message_list": "MessageListStore",
            "memzoo.stores.opening": "open_store",
            "memzoo.stores.sql.store": "SQLStore",
            "memzoo.stores.transfer": "export_conversation import_conversation",
        },
    )[0]

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
