"""Seven ways for a chatbot to remember, behind one interface."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.buffer import ConversationBufferMemory
from memzoo.memories.combined import CombinedMemory
from memzoo.memories.conversation import Conversation, Reply
from memzoo.memories.embedders import Embedder, HashEmbedder, OpenAIEmbedder
from memzoo.memories.entity import ConversationEntityMemory
from memzoo.memories.facts import Fact, Quote, Reason, Source
from memzoo.memories.forgetting import Receipt
from memzoo.memories.graph import KnowledgeGraph
from memzoo.memories.knowledge_graph import ConversationKGMemory
from memzoo.memories.message_window import MessageWindowMemory
from memzoo.memories.models import ChatModel, Completion, Model
from memzoo.memories.provider import MemoryProvider
from memzoo.memories.registry import STRATEGIES, create_memory
from memzoo.memories.retention import Retained, aretain, retain
from memzoo.memories.summarizing_window import SummarizingWindowMemory
from memzoo.memories.summary import ConversationSummaryMemory
from memzoo.memories.summary_buffer import ConversationSummaryBufferMemory
from memzoo.memories.token_buffer import ConversationTokenBufferMemory
from memzoo.memories.token_window import TokenWindowMemory
from memzoo.memories.tools import Tool, immediate
from memzoo.memories.trimming import trim_messages
from memzoo.memories.turns import Turn
from memzoo.memories.usage import Spent, Usage
from memzoo.memories.vector_retriever import VectorStoreRetrieverMemory
from memzoo.memories.window import ConversationBufferWindowMemory

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
