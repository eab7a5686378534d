"""Seven classic ways for a chatbot to remember, behind one interface.

What most programs need is here: `from memzoo import create_memory, open_store, Conversation`. Each name is loaded when
it is first used, so importing memzoo costs next to nothing. All errors are in `memzoo.errors`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from memzoo import _old_paths

if TYPE_CHECKING:
    from memzoo.benchmarks import compare as compare
    from memzoo.memories.base import BaseMemory as BaseMemory
    from memzoo.memories.chat.conversation import Conversation as Conversation
    from memzoo.memories.chat.conversation import Reply as Reply
    from memzoo.memories.chat.provider import MemoryProvider as MemoryProvider
    from memzoo.memories.chat.tools import Tool as Tool
    from memzoo.memories.chat.tools import immediate as immediate
    from memzoo.memories.engine.forgetting import Receipt as Receipt
    from memzoo.memories.engine.retention import Retained as Retained
    from memzoo.memories.engine.retention import aretain as aretain
    from memzoo.memories.engine.retention import retain as retain
    from memzoo.memories.engine.turns import Turn as Turn
    from memzoo.memories.graph.fact import Fact as Fact
    from memzoo.memories.graph.fact import Quote as Quote
    from memzoo.memories.graph.fact import Reason as Reason
    from memzoo.memories.graph.fact import Source as Source
    from memzoo.memories.graph.graph import KnowledgeGraph as KnowledgeGraph
    from memzoo.memories.models.chat import ChatModel as ChatModel
    from memzoo.memories.models.chat import Completion as Completion
    from memzoo.memories.models.chat import Model as Model
    from memzoo.memories.models.embedders import Embedder as Embedder
    from memzoo.memories.models.embedders import HashEmbedder as HashEmbedder
    from memzoo.memories.models.embedders import OpenAIEmbedder as OpenAIEmbedder
    from memzoo.memories.models.offline import async_offline_client as async_offline_client
    from memzoo.memories.models.offline import offline_client as offline_client
    from memzoo.memories.models.usage import Spent as Spent
    from memzoo.memories.models.usage import Usage as Usage
    from memzoo.memories.registry import STRATEGIES as STRATEGIES
    from memzoo.memories.registry import create_memory as create_memory
    from memzoo.memories.strategies.buffer import ConversationBufferMemory as ConversationBufferMemory
    from memzoo.memories.strategies.combined import CombinedMemory as CombinedMemory
    from memzoo.memories.strategies.entity import ConversationEntityMemory as ConversationEntityMemory
    from memzoo.memories.strategies.knowledge_graph import ConversationKGMemory as ConversationKGMemory
    from memzoo.memories.strategies.message_window import MessageWindowMemory as MessageWindowMemory
    from memzoo.memories.strategies.summarizing_window import SummarizingWindowMemory as SummarizingWindowMemory
    from memzoo.memories.strategies.summary import ConversationSummaryMemory as ConversationSummaryMemory
    from memzoo.memories.strategies.summary_buffer import (
        ConversationSummaryBufferMemory as ConversationSummaryBufferMemory,
    )
    from memzoo.memories.strategies.token_buffer import ConversationTokenBufferMemory as ConversationTokenBufferMemory
    from memzoo.memories.strategies.token_window import TokenWindowMemory as TokenWindowMemory
    from memzoo.memories.strategies.vector_retriever import VectorStoreRetrieverMemory as VectorStoreRetrieverMemory
    from memzoo.memories.strategies.window import ConversationBufferWindowMemory as ConversationBufferWindowMemory
    from memzoo.memories.text.trimming import trim_messages as trim_messages
    from memzoo.stores import ChromaIndex as ChromaIndex
    from memzoo.stores import EncryptedStore as EncryptedStore
    from memzoo.stores import Entry as Entry
    from memzoo.stores import ExactIndex as ExactIndex
    from memzoo.stores import InMemoryStore as InMemoryStore
    from memzoo.stores import PgVectorIndex as PgVectorIndex
    from memzoo.stores import Record as Record
    from memzoo.stores import SQLStore as SQLStore
    from memzoo.stores import Store as Store
    from memzoo.stores import export_conversation as export_conversation
    from memzoo.stores import import_conversation as import_conversation
    from memzoo.stores import open_store as open_store
    from memzoo.stores.errors import MemoryZooError as MemoryZooError

_old_paths.install()

_NAMES = {
    "memzoo.benchmarks": "compare",
    "memzoo.memories.base": "BaseMemory",
    "memzoo.memories.chat.conversation": "Conversation Reply",
    "memzoo.memories.chat.provider": "MemoryProvider",
    "memzoo.memories.chat.tools": "Tool immediate",
    "memzoo.memories.engine.forgetting": "Receipt",
    "memzoo.memories.engine.retention": "Retained aretain retain",
    "memzoo.memories.engine.turns": "Turn",
    "memzoo.memories.graph.fact": "Fact Quote Reason Source",
    "memzoo.memories.graph.graph": "KnowledgeGraph",
    "memzoo.memories.models.chat": "ChatModel Completion Model OfflineModelWarning",
    "memzoo.memories.models.embedders": "Embedder HashEmbedder OpenAIEmbedder",
    "memzoo.memories.models.offline": "async_offline_client offline_client",
    "memzoo.memories.models.usage": "Spent Usage",
    "memzoo.memories.registry": "STRATEGIES create_memory",
    "memzoo.memories.strategies.buffer": "ConversationBufferMemory",
    "memzoo.memories.strategies.combined": "CombinedMemory",
    "memzoo.memories.strategies.entity": "ConversationEntityMemory",
    "memzoo.memories.strategies.knowledge_graph": "ConversationKGMemory",
    "memzoo.memories.strategies.message_window": "MessageWindowMemory",
    "memzoo.memories.strategies.summarizing_window": "SummarizingWindowMemory",
    "memzoo.memories.strategies.summary": "ConversationSummaryMemory",
    "memzoo.memories.strategies.summary_buffer": "ConversationSummaryBufferMemory",
    "memzoo.memories.strategies.token_buffer": "ConversationTokenBufferMemory",
    "memzoo.memories.strategies.token_window": "TokenWindowMemory",
    "memzoo.memories.strategies.vector_retriever": "VectorStoreRetrieverMemory",
    "memzoo.memories.strategies.window": "ConversationBufferWindowMemory",
    "memzoo.memories.text.trimming": "trim_messages",
    "memzoo.stores": "ChromaIndex EncryptedStore Entry ExactIndex InMemoryStore PgVectorIndex Record SQLStore Store "
    "export_conversation import_conversation open_store",
    "memzoo.stores.errors": "MemoryZooError",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("memzoo")
    if name not in _MODULES:
        raise AttributeError(f"module 'memzoo' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return ["__version__", *sorted(_MODULES)]
