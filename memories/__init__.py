"""Seven ways for a chatbot to remember, behind one interface."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.chat.conversation import Conversation, Reply
from memzoo.memories.chat.provider import MemoryProvider
from memzoo.memories.chat.tools import Tool, immediate
from memzoo.memories.engine.forgetting import Receipt
from memzoo.memories.engine.retention import Retained, aretain, retain
from memzoo.memories.engine.turns import Turn
from memzoo.memories.graph.fact import Fact, Quote, Reason, Source
from memzoo.memories.graph.graph import KnowledgeGraph
from memzoo.memories.models.chat import ChatModel, Completion, Model
from memzoo.memories.models.embedders import Embedder, HashEmbedder, OpenAIEmbedder
from memzoo.memories.models.usage import Spent, Usage
from memzoo.memories.registry import STRATEGIES, create_memory
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.strategies.combined import CombinedMemory
from memzoo.memories.strategies.entity import ConversationEntityMemory
from memzoo.memories.strategies.knowledge_graph import ConversationKGMemory
from memzoo.memories.strategies.message_window import MessageWindowMemory
from memzoo.memories.strategies.summarizing_window import SummarizingWindowMemory
from memzoo.memories.strategies.summary import ConversationSummaryMemory
from memzoo.memories.strategies.summary_buffer import ConversationSummaryBufferMemory
from memzoo.memories.strategies.token_buffer import ConversationTokenBufferMemory
from memzoo.memories.strategies.token_window import TokenWindowMemory
from memzoo.memories.strategies.vector_retriever import VectorStoreRetrieverMemory
from memzoo.memories.strategies.window import ConversationBufferWindowMemory
from memzoo.memories.text.trimming import trim_messages

__all__ = [
    "STRATEGIES",
    "BaseMemory",
    "ChatModel",
    "CombinedMemory",
    "Completion",
    "Conversation",
    "ConversationBufferMemory",
    "ConversationBufferWindowMemory",
    "ConversationEntityMemory",
    "ConversationKGMemory",
    "ConversationSummaryBufferMemory",
    "ConversationSummaryMemory",
    "ConversationTokenBufferMemory",
    "Embedder",
    "Fact",
    "HashEmbedder",
    "KnowledgeGraph",
    "MemoryProvider",
    "MessageWindowMemory",
    "Model",
    "OpenAIEmbedder",
    "Quote",
    "Reason",
    "Receipt",
    "Reply",
    "Retained",
    "Source",
    "Spent",
    "SummarizingWindowMemory",
    "TokenWindowMemory",
    "Tool",
    "Turn",
    "Usage",
    "VectorStoreRetrieverMemory",
    "aretain",
    "create_memory",
    "immediate",
    "retain",
    "trim_messages",
]
