"""Remember the last few exchanges."""

from dataclasses import dataclass

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import whole_number
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.text.view import View

__all__ = ["ConversationBufferWindowMemory"]


@dataclass(kw_only=True, eq=False)
class ConversationBufferWindowMemory(ConversationBufferMemory):
    r"""Shows the last `k` exchanges, word for word.

    The cost of a turn stays the same however long the conversation grows. What is older is out of sight, though
    `history()` still has it.

    Args:
        k: How many exchanges are shown; 0 or less shows none. An exchange begins with a user message.
        **common: See `BaseMemory`.

    Example:
        >>> memory = ConversationBufferWindowMemory(k=1)
        >>> memory.save_context({"input": "hi"}, {"output": "what's up"})
        >>> memory.save_context({"input": "not much, you?"}, {"output": "not much"})
        >>> memory.load_memory_variables({})
        {'history': 'Human: not much, you?\nAI: not much'}
        >>> len(memory.history())
        4
    """

    name = "window"

    k: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("k", self.k)

    async def needed(self, log: Log, state: State) -> int:
        """What is shown."""
        shown = (await self.view(log, state, None)).numbers
        return min(shown, default=await log.start_of_exchanges(0))

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The newest `k` exchanges."""
        return View.of(await log.exchanges(self.k))
