"""Seven ways for a chatbot to remember, behind one interface."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.embedders import Embedder, HashEmbedder, OpenAIEmbedder
from memzoo.memories.forgetting import Receipt
from memzoo.memories.graphs.facts import Fact, Quote, Reason, Source
from memzoo.memories.graphs.graph import KnowledgeGraph
from memzoo.memories.models import ChatModel, Completion, Model
from memzoo.memories.registry import STRATEGIES, create_memory
from memzoo.memories.retention import Retained, aretain, retain
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
from memzoo.memories.talking.conversation import Conversation, Reply
from memzoo.memories.talking.provider import MemoryProvider
from memzoo.memories.talking.tools import Tool, immediate
from memzoo.memories.talking.turns import Turn
from memzoo.memories.usage import Spent, Usage
from memzoo.memories.windowing.trimming import trim_messages

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
