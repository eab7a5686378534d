"""Seven ways for a chatbot to remember, behind one interface."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.buffer import ConversationBufferMemory
from memzoo.memories.combined import CombinedMemory
from memzoo.memories.embedders import Embedder, HashEmbedder, OpenAIEmbedder
from memzoo.memories.entity import ConversationEntityMemory
from memzoo.memories.facts import Fact, Quote, Reason, Source
from memzoo.memories.forgetting import Receipt
from memzoo.memories.graph import KnowledgeGraph
from memzoo.memories.knowledge_graph import ConversationKGMemory
from memzoo.memories.models import ChatModel, Completion, Model
from memzoo.memories.registry import STRATEGIES, create_memory
from memzoo.memories.retention import Retained, aretain, retain
from memzoo.memories.summary import ConversationSummaryMemory
from memzoo.memories.summary_buffer import ConversationSummaryBufferMemory
from memzoo.memories.usage import Spent, Usage
from memzoo.memories.vector_retriever import VectorStoreRetrieverMemory
from memzoo.memories.window import ConversationBufferWindowMemory

__all__ = [
    "STRATEGIES",
    "BaseMemory",
    "ChatModel",
    "CombinedMemory",
    "Completion",
    "ConversationBufferMemory",
    "ConversationBufferWindowMemory",
    "ConversationEntityMemory",
    "ConversationKGMemory",
    "ConversationSummaryBufferMemory",
    "ConversationSummaryMemory",
    "Embedder",
    "Fact",
    "HashEmbedder",
    "KnowledgeGraph",
    "Model",
    "OpenAIEmbedder",
    "Quote",
    "Reason",
    "Receipt",
    "Retained",
    "Source",
    "Spent",
    "Usage",
    "VectorStoreRetrieverMemory",
    "aretain",
    "create_memory",
    "retain",
]
