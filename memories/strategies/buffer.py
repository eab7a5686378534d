"""Remember everything."""

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import strategy
from memzoo.memories.text.view import View


@strategy
class ConversationBufferMemory(BaseMemory):
    r"""Shows the whole conversation, word for word.

    Nothing is lost and no model is asked, but each turn sends all earlier turns. Use this memory for short
    conversations, and as the yardstick for all other strategies.

    Costs: no call; tokens grow with each turn.

    State: none.

    Example:
        >>> memory = ConversationBufferMemory()
        >>> memory.save_context({"input": "hi"}, {"output": "what's up"})
        >>> memory.load_memory_variables({})
        {'history': "Human: hi\nAI: what's up"}
        >>> memory.messages()
        [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': "what's up"}]
    """

    name = "buffer"

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of all messages."""
        return View(entries=await log.after(0), room=None, texts_stay=True)
