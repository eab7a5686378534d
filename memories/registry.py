"""The zoo: every strategy by its name."""

from typing import Any

from memzoo.memories.base import BaseMemory
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
from memzoo.stores.errors import UnknownStrategyError

__all__ = ["FURTHER", "STRATEGIES", "create_memory", "strategy_named"]

STRATEGIES: dict[str, type[BaseMemory]] = {
    strategy.name: strategy
    for strategy in (
        ConversationBufferMemory,
        ConversationBufferWindowMemory,
        ConversationSummaryMemory,
        ConversationSummaryBufferMemory,
        ConversationEntityMemory,
        VectorStoreRetrieverMemory,
        ConversationKGMemory,
    )
}
"""The strategies by short name, from the simplest to the most elaborate."""

FURTHER: dict[str, type[BaseMemory]] = {
    strategy.name: strategy
    for strategy in (
        CombinedMemory,
        MessageWindowMemory,
        TokenWindowMemory,
        ConversationTokenBufferMemory,
        SummarizingWindowMemory,
    )
}
"""Further species by short name: they can be made by name like the seven, and are not counted among them."""


def create_memory(name: str, **options: Any) -> BaseMemory:
    """A memory by the name of its strategy.

    Args:
        name: The class name, such as "ConversationSummaryBufferMemory", or the short name, such as "summary-buffer".
        **options: The options of that class.

    Raises:
        UnknownStrategyError: No strategy has this name.
        OptionError: An option is unknown to the strategy, or has a value that cannot work.

    Example:
        >>> memory = create_memory("ConversationBufferWindowMemory", k=2)
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> create_memory("window", store=memory.store, conversation_id=memory.conversation_id).history()
        [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'hello'}]
    """
    return strategy_named(name)(**options)


def strategy_named(name: str) -> type[BaseMemory]:
    """The class of a strategy, by class name or short name.

    Raises:
        UnknownStrategyError: No strategy has this name.
    """
    species = STRATEGIES | FURTHER
    by_any_name = species | {strategy.__name__: strategy for strategy in species.values()}
    if name not in by_any_name:
        known = ", ".join(f"{short!r} ({strategy.__name__})" for short, strategy in species.items())
        raise UnknownStrategyError(f"there is no strategy {name!r}; there are {known}")
    return by_any_name[name]
