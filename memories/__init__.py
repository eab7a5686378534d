"""Seven memories for chatbots, behind one interface. Each class or function is imported when it is first used."""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:  # the same as the table below; a test compares the two
    from memzoo.memories.base import BaseMemory as BaseMemory
    from memzoo.memories.chat.conversation import Conversation as Conversation
    from memzoo.memories.chat.conversation import Reply as Reply
    from memzoo.memories.chat.provider import MemoryProvider as MemoryProvider
    from memzoo.memories.chat.tools import Tool as Tool
    from memzoo.memories.engine.turns import Turn as Turn
    from memzoo.memories.graph.fact import Fact as Fact
    from memzoo.memories.graph.graph import KnowledgeGraph as KnowledgeGraph
    from memzoo.memories.maintenance import upkeep as upkeep
    from memzoo.memories.models.chat import ChatModel as ChatModel
    from memzoo.memories.models.chat import Model as Model
    from memzoo.memories.models.embedders import Embedder as Embedder
    from memzoo.memories.models.embedders import HashEmbedder as HashEmbedder
    from memzoo.memories.models.embedders import OpenAIEmbedder as OpenAIEmbedder
    from memzoo.memories.models.offline import offline_client as offline_client
    from memzoo.memories.models.usage import Usage as Usage
    from memzoo.memories.registry import STRATEGIES as STRATEGIES
    from memzoo.memories.registry import create_memory as create_memory
    from memzoo.memories.strategies.buffer import ConversationBufferMemory as ConversationBufferMemory
    from memzoo.memories.strategies.combined import CombinedMemory as CombinedMemory
    from memzoo.memories.strategies.entity import ConversationEntityMemory as ConversationEntityMemory
    from memzoo.memories.strategies.knowledge_graph import ConversationKGMemory as ConversationKGMemory
    from memzoo.memories.strategies.summarizing_window import SummarizingWindowMemory as SummarizingWindowMemory
    from memzoo.memories.strategies.summary import ConversationSummaryMemory as ConversationSummaryMemory
    from memzoo.memories.strategies.summary_buffer import (
        ConversationSummaryBufferMemory as ConversationSummaryBufferMemory,
    )
    from memzoo.memories.strategies.vector_retriever import VectorStoreRetrieverMemory as VectorStoreRetrieverMemory
    from memzoo.memories.strategies.window import ConversationBufferWindowMemory as ConversationBufferWindowMemory
    from memzoo.memories.strategies.windows import MessageWindowMemory as MessageWindowMemory
    from memzoo.memories.strategies.windows import TokenWindowMemory as TokenWindowMemory
    from memzoo.memories.text.order import cache_control as cache_control
    from memzoo.memories.text.order import in_turns as in_turns
    from memzoo.memories.text.trimming import trim_messages as trim_messages
    from memzoo.stores.retention import delete_old as delete_old
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "memzoo.memories.base": "BaseMemory",
            "memzoo.memories.chat.conversation": "Conversation Reply",
            "memzoo.memories.chat.provider": "MemoryProvider",
            "memzoo.memories.chat.tools": "Tool",
            "memzoo.memories.engine.turns": "Turn",
            "memzoo.memories.graph.fact": "Fact",
            "memzoo.memories.graph.graph": "KnowledgeGraph",
            "memzoo.memories.maintenance": "upkeep",
            "memzoo.memories.models.chat": "ChatModel Model",
            "memzoo.memories.models.embedders": "Embedder HashEmbedder OpenAIEmbedder",
            "memzoo.memories.models.offline": "offline_client",
            "memzoo.memories.models.usage": "Usage",
            "memzoo.memories.registry": "STRATEGIES create_memory",
            "memzoo.memories.strategies.buffer": "ConversationBufferMemory",
            "memzoo.memories.strategies.combined": "CombinedMemory",
            "memzoo.memories.strategies.entity": "ConversationEntityMemory",
            "memzoo.memories.strategies.knowledge_graph": "ConversationKGMemory",
            "memzoo.memories.strategies.summarizing_window": "SummarizingWindowMemory",
            "memzoo.memories.strategies.summary": "ConversationSummaryMemory",
            "memzoo.memories.strategies.summary_buffer": "ConversationSummaryBufferMemory",
            "memzoo.memories.strategies.vector_retriever": "VectorStoreRetrieverMemory",
            "memzoo.memories.strategies.window": "ConversationBufferWindowMemory",
            "memzoo.memories.strategies.windows": "MessageWindowMemory TokenWindowMemory",
            "memzoo.memories.text.order": "cache_control in_turns",
            "memzoo.memories.text.trimming": "trim_messages",
            "memzoo.stores.retention": "delete_old",
        },
    )
