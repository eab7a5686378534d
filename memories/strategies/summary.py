"""Remember a summary that grows with the conversation."""

import uuid
from collections.abc import Sequence
from typing import Annotated, Any, Self

from memzoo.memories.engine.log import Log
from memzoo.memories.engine.saving import append
from memzoo.memories.engine.state import State
from memzoo.memories.models.chat import ModelOption
from memzoo.memories.options import AtLeast, strategy, whole_number
from memzoo.memories.strategies.summarizing import SummarizingMemory
from memzoo.memories.text.messages import check_several, checked
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Message, Record
from memzoo.sync import drive

__all__ = ["ConversationSummaryMemory"]


@strategy
class ConversationSummaryMemory(SummarizingMemory):
    """Shows a summary of the whole conversation.

    Each exchange updates the summary, which stays short in a conversation of any length. Each save costs a model call,
    and the model leaves out some details. With `every`, one call serves several exchanges. Messages that are not
    summarised yet are shown word for word after the summary.

    This memory is good for the gist of a whole conversation: 855 tokens of a large model's summary show 0.71 of the
    answers about the bundled conversation. While the summary does not change, a provider's prompt cache stays valid.

    Costs: 1 call a save; few tokens.

    State: `summary`, a text; no items before the first summary.

    Example:
        >>> memory = ConversationSummaryMemory(llm=lambda messages: "Sam greets the AI.")
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.load_memory_variables({})
        {'history': 'Sam greets the AI.'}
        >>> memory.usage["summary"].calls
        1
    """

    name = "summary"

    every: Annotated[int, AtLeast(1)] = 1
    """The number of exchanges that one call summarises."""
    every_tokens: Annotated[int | None, AtLeast(1)] = None
    """Tokens of new messages that trigger a call before `every` exchanges wait; if `every` is left at 1, only the
    tokens count.
    """

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Tell whether enough whole exchanges or tokens wait for a model call."""
        if self.every_tokens is not None and sum(map(self.render.tokens, waiting)) >= self.every_tokens:
            return True
        if self.every == 1:
            return self.every_tokens is None
        roles = [entry.message["role"] for entry in waiting]
        # A user message at the end has no answer yet, so its exchange is not complete.
        return roles.count("user") - int(roles[-1] == "user") >= self.every

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the summary and the messages that are not summarised yet."""
        entries = await log.after(state.watermark)
        room = self.every - 1 - sum(entry.message["role"] == "user" for entry in entries)
        if self.every_tokens is not None or self.is_over_limit(state):
            room = -1
        return View((self._quote_summary(state),), entries, room=room if room > 0 else -1, texts_stay=True)

    @property
    def buffer(self) -> str:
        """The summary, under LangChain's name."""
        return self.summary

    @classmethod
    def from_messages(
        cls, llm: ModelOption, chat_memory: Sequence[Message], *, summarize_step: int = 2, **options: Any
    ) -> Self:
        """Return a memory that has summarised a conversation, `summarize_step` messages with each model call."""
        whole_number("summarize_step", summarize_step, at_least=1)
        check_several(chat_memory, "chat_memory")
        memory = cls(llm=llm, **options)
        said = [memory.redactor.message(set_thoughts_apart(checked(message))) for message in chat_memory]
        for start in range(0, len(said), summarize_step):
            drive(memory._take_in(said[start : start + summarize_step]))
        return memory

    async def _take_in(self, messages: Sequence[Message]) -> None:
        """Save messages and summarise them at once, regardless of `every`."""
        records, turn_id = [Record(message) for message in messages], uuid.uuid4().hex
        new = await append(self.store, self.conversation_id, records, turn_id)
        for learner in self.learners:
            await learner.follow(new, raising=True, everything=True)
