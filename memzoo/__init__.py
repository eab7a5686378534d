"""Seven classic ways for a chatbot to remember, behind one interface.

This package has the names that most programs need: `from memzoo import create_memory, open_store, Conversation`. Each
name is loaded at its first use, so the import of memzoo is cheap. All errors are in `memzoo.errors`, result types
in `memzoo.types`, further stores and indexes in `memzoo.stores`.
"""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:  # the same as the table below; a test compares the two
    from memzoo import errors as errors
    from memzoo._version import __version__ as __version__
    from memzoo.benchmarks import compare as compare
    from memzoo.errors import MemoryZooError as MemoryZooError
    from memzoo.memories import *  # noqa: F403
    from memzoo.stores import ChromaIndex as ChromaIndex
    from memzoo.stores import EncryptedStore as EncryptedStore
    from memzoo.stores import InMemoryStore as InMemoryStore
    from memzoo.stores import SQLStore as SQLStore
    from memzoo.stores import Store as Store
    from memzoo.stores import export_conversation as export_conversation
    from memzoo.stores import import_conversation as import_conversation
    from memzoo.stores import open_store as open_store
else:
    from memzoo import memories

    __getattr__, __dir__ = lazy(
        __name__,
        {
            "memzoo._version": "__version__",
            "memzoo.errors": "errors MemoryZooError",
            "memzoo.benchmarks": "compare",
            "memzoo.memories": " ".join(memories.__all__),
            "memzoo.stores": "ChromaIndex EncryptedStore InMemoryStore SQLStore Store export_conversation "
            "import_conversation open_store",
        },
    )
