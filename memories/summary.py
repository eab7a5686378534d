"""Remember a summary that grows with the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from memzoo.memories.chat_history import ChatHistory
from memzoo.memories.log import Log, messages_of
from memzoo.memories.messages import checked, quoted
from memzoo.memories.model_backed import ModelBackedMemory
from memzoo.memories.models import ModelOption
from memzoo.memories.options import whole_number
from memzoo.memories.replies import nothing_new, prose
from memzoo.memories.state import Changes, State
from memzoo.memories.view import View
from memzoo.stores import Entry, Message
from memzoo.stores.driving import blocking, drive

__all__ = ["ConversationSummaryMemory", "SummarizerMemory"]


@dataclass(kw_only=True, eq=False)
class SummarizerMemory(ModelBackedMemory):
    """What the two summarising strategies share: a summary, and how it takes in messages."""

    async def apredict_new_summary(self, messages: Sequence[Message], existing_summary: str) -> str:
        """The summary that takes in some messages, oldest first; the old one if they add nothing.

        One model call. Nothing is stored.

        Raises:
            ModelError: The model failed or refused, or its reply was empty.
        """
        reply = await self.ask("summary", summary=existing_summary, new_lines=self.render(messages))
        return existing_summary if nothing_new(reply) else prose(reply, "summary")

    predict_new_summary = blocking(apredict_new_summary)

    @property
    def summary(self) -> str:
        """The summary as it is stored; "" before there is one."""
        return summary_of(drive(self._upkeep.state()))


@dataclass(kw_only=True, eq=False)
class ConversationSummaryMemory(SummarizerMemory):
    """Shows a summary of all that was said.

    It is brought up to date with each exchange, and stays short however long the conversation grows; the price is a
    model call for each save, and whatever the model leaves out. Messages that a failed call could not take in yet are
    shown word for word behind the summary.

    Args:
        **model_backed: See `ModelBackedMemory` and `BaseMemory`.

    Example:
        >>> memory = ConversationSummaryMemory(llm=lambda messages: "Sam greets the AI.")
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.load_memory_variables({})
        {'history': 'Sam greets the AI.'}
        >>> memory.usage["summary"].calls
        1
    """

    name = "summary"

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Take the new messages into the summary."""
        old = summary_of(state)
        new = await self.apredict_new_summary(messages_of(entries), old)
        return Changes() if new == old else Changes({"summary": new})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The summary, then what it does not cover yet."""
        # Quoted like a line behind a label: a summary must not forge a turn either.
        summary = quoted(f"\n{summary_of(state)}", self.labels.names)[1:]
        return View((summary,), messages_of(await log.after(state.watermark)))

    @property
    def buffer(self) -> str:
        """The summary, by its name in LangChain."""
        return self.summary

    @classmethod
    def from_messages(
        cls, llm: ModelOption, chat_memory: Sequence[Message] | ChatHistory, *, summarize_step: int = 2, **options: Any
    ) -> Self:
        """A memory that has taken in a conversation already, `summarize_step` messages with each model call."""
        whole_number("summarize_step", summarize_step, at_least=1)
        memory = cls(llm=llm, **options)
        messages = chat_memory.messages if isinstance(chat_memory, ChatHistory) else chat_memory
        said = [checked(message) for message in messages]
        for start in range(0, len(said), summarize_step):
            memory.add_messages(said[start : start + summarize_step])
        return memory


def summary_of(state: State) -> str:
    """The summary in a state."""
    return str(state.items.get("summary", ""))
