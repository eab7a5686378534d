"""Remember the last few exchanges."""

from typing import Annotated

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.strategies.buffer import ConversationBufferMemory
from memzoo.memories.text.view import View


@strategy
class ConversationBufferWindowMemory(ConversationBufferMemory):
    r"""Shows the last `k` exchanges, word for word.

    The cost of a turn stays the same in a conversation of any length. Older messages are not shown, but stay in
    `history()`. With a `step`, the window moves in steps: on most turns, the window begins with the same message as
    before, and a provider's prompt cache stays valid.

    Costs: no call; tokens stay level.

    State: none.

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
    """The number of exchanges to show; 0 or less shows none. An exchange is a user message and everything up to the
    next one.
    """

    step: Annotated[int, AtLeast(0)] = 0
    """Show up to this many exchanges beyond `k`, then drop that many at once."""

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the log number of the first message in the window."""
        return await log.start_of_exchanges(self.k, self.step)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the newest `k` exchanges, and up to `step` more."""
        shown, room = await log.exchanges_with_room(self.k, self.step)
        return View(entries=shown, room=room, texts_stay=True)
