"""Remember the newest messages, and now and then summarise older messages in one summary message."""

from collections.abc import Sequence
from typing import Annotated

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.strategies.summarizing import SummarizingMemory, summary_of
from memzoo.memories.text.view import View
from memzoo.stores import Entry

# The usual number of messages.
_OF_AN_EXCHANGE = 2


@strategy
class SummarizingWindowMemory(SummarizingMemory):
    """Shows one summary message and the messages after it. When these become too many, they are summarised too.

    This is the pattern of LangChain.js's guide: once `max_messages` messages precede the newest user message, a model
    distils them into one summary message. The summary counts as a message, and goes into the next summary. One call
    serves several exchanges. The system message stays unchanged. Tool calls are summarised like other messages. The log
    keeps all messages.

    Costs: 1 call for several exchanges.

    State: `summary`, a text.

    Example:
        >>> memory = SummarizingWindowMemory(llm=lambda messages: "Nemo greeted the assistant.", max_messages=4)
        >>> for said, answer in [("I'm Nemo.", "Hello!"), ("How are you?", "Fine!"), ("My name?", "Nemo.")]:
        ...     memory.save_context({"input": said}, {"output": answer})
        >>> [message["content"] for message in memory.messages()]
        ['Nemo greeted the assistant.', 'My name?', 'Nemo.']
        >>> len(memory.history())
        6
    """

    name = "summarizing-window"

    max_messages: Annotated[int, AtLeast(1)] = 20
    """Distil once this many messages precede the newest user message; a summary counts as one."""

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Return the number of messages to summarise now: all messages before the newest user message, or 0.

        The number is 0 while the view has fewer than `max_messages` messages before the newest user message. The
        summary and pinned messages count too.
        """
        older = max((place for place, entry in enumerate(waiting) if entry.message["role"] == "user"), default=0)
        shown = older + len(self.log.pins.besides(waiting)) + bool(summary_of(state))
        return older if older and shown >= self.max_messages else 0

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the summary and the messages that are not summarised yet."""
        self.log.pins.room(self.max_messages, lambda _: 1, "messages")
        entries, recalled = await log.after(state.watermark), tuple(filter(None, [self._quote_summary(state)]))
        room = self.max_messages - len(recalled) - len(entries) - len(self.log.pins.besides(entries))
        if room < _OF_AN_EXCHANGE or self.is_over_limit(state):
            room = -1
        return View(recalled, entries, room=room, texts_stay=True)
