"""LangChain's memory classes: `from memzoo.langchain import ConversationBufferMemory`.

Names, options, defaults and results are those of `langchain_classic.memory` and of `langchain_community.memory.kg`;
docs/langchain.md lists the improvements. LangChain need not be installed. If langchain-core is installed, messages are
langchain-core's objects, and `llm` may be any langchain-core model.
"""

import inspect
import sys
from opcode import opmap
from typing import Any

from memzoo.hosts.langchain.chain import ConversationChain
from memzoo.hosts.langchain.entities import InMemoryEntityStore
from memzoo.hosts.langchain.graph import KnowledgeTriple
from memzoo.hosts.langchain.history import ChatMessageHistory
from memzoo.hosts.langchain.memories import (
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationEntityMemory,
    ConversationKGMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    ConversationTokenBufferMemory,
)
from memzoo.hosts.langchain.prompt_texts import entity_prompt
from memzoo.hosts.langchain.retriever import VectorStoreRetrieverMemory
from memzoo.hosts.langchain.shared import (
    CombinedMemory,
    ConversationStringBufferMemory,
    ReadOnlySharedMemory,
    SimpleMemory,
)

__all__ = [
    "ENTITY_MEMORY_CONVERSATION_TEMPLATE",
    "ChatMessageHistory",
    "CombinedMemory",
    "ConversationBufferMemory",
    "ConversationBufferWindowMemory",
    "ConversationChain",
    "ConversationEntityMemory",
    "ConversationKGMemory",
    "ConversationStringBufferMemory",
    "ConversationSummaryBufferMemory",
    "ConversationSummaryMemory",
    "ConversationTokenBufferMemory",
    "InMemoryEntityStore",
    "KnowledgeTriple",
    "ReadOnlySharedMemory",
    "SimpleMemory",
    "VectorStoreRetrieverMemory",
]

ENTITY_MEMORY_CONVERSATION_TEMPLATE: Any


def __getattr__(name: str) -> Any:
    # Created at the first use, because a prompt of LangChain's class needs LangChain's slow import.
    if name == "ENTITY_MEMORY_CONVERSATION_TEMPLATE":
        return entity_prompt()
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    # Imported only when needed, because the module loads the migration's table of LangChain's names.
    from memzoo.hosts.langchain.lacking import why_lacking

    why = why_lacking(name, __all__)
    # "from memzoo.langchain import ..." would hide the message of an AttributeError.
    caller = inspect.currentframe()
    caller = caller and caller.f_back
    if caller and caller.f_code.co_code[caller.f_lasti] == opmap["IMPORT_FROM"]:
        raise ImportError(why, name=__name__, path=__file__)
    raise AttributeError(why, name=name, obj=sys.modules[__name__])
