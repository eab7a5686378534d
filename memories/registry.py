"""Makes memories by the name of their strategy."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from memzoo.errors import OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.options import describe_unknown, options_of
from memzoo.memories.strategies.named import FURTHER, SEVEN, strategy_named

if TYPE_CHECKING:
    from memzoo import memories
    from memzoo.memories import option_types as typed


class _Strategies(Mapping[str, type[BaseMemory]]):
    """The classes of the seven strategies by short name; each class is loaded at its first access."""

    def __getitem__(self, name: str) -> type[BaseMemory]:
        if name not in SEVEN:
            raise KeyError(name)
        return strategy_named(name)

    def __iter__(self) -> Iterator[str]:
        return iter(SEVEN)

    def __len__(self) -> int:
        return len(SEVEN)


STRATEGIES: Mapping[str, type[BaseMemory]] = _Strategies()
"""The seven strategies by short name, from the simplest to the most elaborate."""


# With an overload for each strategy, a type checker and an editor know the class and the options of each name.
@overload
def create_memory(
    name: Literal["buffer", "ConversationBufferMemory"], **options: "Unpack[typed.ConversationBufferMemoryOptions]"
) -> "memories.ConversationBufferMemory": ...


@overload
def create_memory(
    name: Literal["window", "ConversationBufferWindowMemory"],
    **options: "Unpack[typed.ConversationBufferWindowMemoryOptions]",
) -> "memories.ConversationBufferWindowMemory": ...


@overload
def create_memory(
    name: Literal["summary", "ConversationSummaryMemory"], **options: "Unpack[typed.ConversationSummaryMemoryOptions]"
) -> "memories.ConversationSummaryMemory": ...


@overload
def create_memory(
    name: Literal["summary-buffer", "ConversationSummaryBufferMemory"],
    **options: "Unpack[typed.ConversationSummaryBufferMemoryOptions]",
) -> "memories.ConversationSummaryBufferMemory": ...


@overload
def create_memory(
    name: Literal["entity", "ConversationEntityMemory"], **options: "Unpack[typed.ConversationEntityMemoryOptions]"
) -> "memories.ConversationEntityMemory": ...


@overload
def create_memory(
    name: Literal["vector-retriever", "VectorStoreRetrieverMemory"],
    **options: "Unpack[typed.VectorStoreRetrieverMemoryOptions]",
) -> "memories.VectorStoreRetrieverMemory": ...


@overload
def create_memory(
    name: Literal["knowledge-graph", "ConversationKGMemory"], **options: "Unpack[typed.ConversationKGMemoryOptions]"
) -> "memories.ConversationKGMemory": ...


@overload
def create_memory(
    name: Literal["combined", "CombinedMemory"], **options: "Unpack[typed.CombinedMemoryOptions]"
) -> "memories.CombinedMemory": ...


@overload
def create_memory(
    name: Literal["message-window", "MessageWindowMemory"], **options: "Unpack[typed.MessageWindowMemoryOptions]"
) -> "memories.MessageWindowMemory": ...


@overload
def create_memory(
    name: Literal["token-window", "TokenWindowMemory", "token-buffer", "ConversationTokenBufferMemory"],
    **options: "Unpack[typed.TokenWindowMemoryOptions]",
) -> "memories.TokenWindowMemory": ...


@overload
def create_memory(
    name: Literal["summarizing-window", "SummarizingWindowMemory"],
    **options: "Unpack[typed.SummarizingWindowMemoryOptions]",
) -> "memories.SummarizingWindowMemory": ...


# Not `Any`, which would accept options that the other overloads refuse. In typed code, use the class itself to make a
# strategy from another package that has options of its own.
@overload
def create_memory(name: str, **options: "Unpack[typed.SharedOptions]") -> BaseMemory: ...


def create_memory(name: str, **options: Any) -> BaseMemory:
    """Return a memory, made by the name of its strategy.

    To change the strategy, change only the name. Every name accepts the shared options: `embedder`, `index` and the
    options of `BaseMemory`. Shared options that the strategy does not have are ignored.

    Args:
        name: The class name of a strategy, such as "ConversationSummaryBufferMemory", or its short name, such as
            "summary-buffer". The strategy belongs to memzoo or to an installed package.
        **options: The options of the strategy's class, and shared options. `store` may be a URL, as for `open_store`;
            close that store with `memory.store.close()`.

    Raises:
        OptionError: No strategy has this name.
        OptionError: An option is neither shared nor an option of the strategy; the text names the strategies
            that have the option.
        OptionError: An option has an invalid value.
        PluginError: The installed package with the strategy cannot be loaded, or its class is not a valid strategy.
        StoreError: The store cannot be opened.

    Example:
        >>> memory = create_memory("ConversationBufferWindowMemory", k=2)
        >>> memory.save_context({"input": "hi"}, {"output": "hello"})
        >>> create_memory("window", store=memory.store, conversation_id=memory.conversation_id).history()
        [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'hello'}]
    """
    cls = strategy_named(name)
    known = options_of(cls)
    if unknown := options.keys() - known - SHARED:
        raise OptionError(_without(cls, sorted(unknown)))
    opened = None
    if isinstance(url := options.get("store"), str):
        from memzoo.stores import open_store  # only here: `open_store` searches installed packages for stores

        opened = open_store(url)
    given: dict[str, Any] = {**options, "store": opened} if opened else options
    try:
        return cls(**{option: value for option, value in given.items() if option in known})
    except BaseException:
        if opened:
            opened.close()
        raise


SHARED = {"embedder", "index"}
"""Options of some strategies, which all other strategies ignore. Options of all strategies are in `BaseMemory`."""


def _without(cls: type[BaseMemory], unknown: Sequence[str]) -> str:
    option, text = unknown[0], describe_unknown(cls, unknown)
    owners = [other for other in (*SEVEN, *FURTHER) if option in options_of(strategy_named(other))]
    return f"{text}; {option!r} is an option of {', '.join(owners)}" if owners else text
