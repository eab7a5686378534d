"""Remember a summary that grows with the conversation."""

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import strategy
from memzoo.memories.strategies.summarizing import SummarizingMemory
from memzoo.memories.text.view import View


@strategy
class ConversationSummaryMemory(SummarizingMemory):
    r"""Shows a summary of the whole conversation.

    One model call updates the summary with 16 exchanges (`learn_every`). The summary stays short in a conversation of
    any length; the model leaves out some details. Messages that are not summarised yet are shown word for word after
    the summary. `settle` summarises them immediately.

    This memory is good for the gist of a whole conversation: a large model's summary of 855 tokens contains 71 % of the
    answers to the questions about the bundled conversation. While the summary does not change, a provider's prompt
    cache stays valid.

    Costs: 1 call for 16 exchanges; few tokens.

    State: `summary`, a text; no items before the first summary.

    Example:
        >>> memory = ConversationSummaryMemory(llm=lambda messages: "Sam greets the AI.")
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.load_memory_variables({})
        {'history': 'Human: Hi, I am Sam.\nAI: Hello Sam!'}
        >>> memory.settle()
        >>> memory.load_memory_variables({})
        {'history': 'Sam greets the AI.'}
        >>> memory.usage["summary"].calls
        1
    """

    name = "summary"
    # Each call writes the whole summary anew, and may lose details.
    _usual_portion = 16

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the summary and the messages that are not summarised yet."""
        entries = await log.after(state.watermark)
        room = self.learners[0].rules.portion - 1 - sum(entry.message["role"] == "user" for entry in entries)
        if room < 1 or self.is_over_limit(state):
            room = -1
        return View((self._quote_summary(state),), entries, room=room, texts_stay=True)
