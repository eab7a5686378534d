"""Remember a summary that grows with the conversation."""

import contextlib
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
from memzoo.memories.shortening import shortened
from memzoo.memories.state import Changes, State
from memzoo.memories.view import View
from memzoo.stores import Entry, Message
from memzoo.stores.driving import blocking, drive
from memzoo.stores.errors import ModelReplyError

__all__ = ["ConversationSummaryMemory", "SummarizerMemory"]


@dataclass(kw_only=True, eq=False)
class SummarizerMemory(ModelBackedMemory):
    """What the two summarising strategies share: a summary, and how it takes in messages.

    Args:
        max_summary_tokens: Tokens that the summary may have at most. The model is told; a reply over the limit is asked
            for once more, shorter, and then cut at the end of a sentence.
        **model_backed: See `ModelBackedMemory` and `BaseMemory`.
    """

    max_summary_tokens: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_summary_tokens is not None:
            whole_number("max_summary_tokens", self.max_summary_tokens, at_least=1)

    async def apredict_new_summary(self, messages: Sequence[Message], existing_summary: str) -> str:
        """The summary that takes in some messages, oldest first; the old one if they add nothing.

        One model call, or two if the first summary is over the limit. Nothing is stored.

        Raises:
            ModelError: The model failed or refused, or its reply was empty.
        """
        return await self.bounded(await self._written(existing_summary, self.render(messages)))

    predict_new_summary = blocking(apredict_new_summary)

    @property
    def summary(self) -> str:
        """The summary as it is stored; "" before there is one."""
        return summary_of(drive(self._upkeep.state()))

    def unfinished(self, state: State) -> bool:
        """Whether a stored summary is over the limit that this memory was given."""
        return self._too_long(summary_of(state))

    async def bounded(self, summary: str) -> str:
        """A summary within the limit: as it is if it fits, else as the model shortens it, else cut."""
        if not self._too_long(summary):
            return summary
        with contextlib.suppress(ModelReplyError):  # The summary there is was paid for and is right, only too long.
            summary = await self._written(summary, "")
        return shortened(summary, lambda beginning: not self._too_long(beginning))

    async def _written(self, summary: str, new_lines: str) -> str:
        reply = await self.ask("summary", summary=summary, new_lines=new_lines, limit=self.max_summary_tokens or 0)
        return summary if nothing_new(reply) else prose(reply, "summary")

    def _too_long(self, summary: str) -> bool:
        if self.max_summary_tokens is None or not summary:
            return False
        return self.counter({"role": "system", "content": summary}) > self.max_summary_tokens


@dataclass(kw_only=True, eq=False)
class ConversationSummaryMemory(SummarizerMemory):
    """Shows a summary of all that was said.

    It is brought up to date with each exchange, and stays short however long the conversation grows; the price is a
    model call for each save, and whatever the model leaves out. With `every`, one call serves several exchanges.
    Messages that were not taken in yet are shown word for word behind the summary.

    Args:
        every: How many exchanges are taken in with one call.
        **summarizer: See `SummarizerMemory`, `ModelBackedMemory` and `BaseMemory`.

    Example:
        >>> memory = ConversationSummaryMemory(llm=lambda messages: "Sam greets the AI.")
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.load_memory_variables({})
        {'history': 'Sam greets the AI.'}
        >>> memory.usage["summary"].calls
        1
    """

    name = "summary"

    every: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("every", self.every, at_least=1)

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Take the new messages into the summary."""
        old = summary_of(state)
        new = await (self.apredict_new_summary(messages_of(entries), old) if entries else self.bounded(old))
        return Changes() if new == old else Changes({"summary": new})

    def waits_for_more(self, entries: Sequence[Entry]) -> bool:
        """Whether there are too few whole exchanges for a call."""
        roles = [entry.message["role"] for entry in entries]
        return self.every > 1 and roles.count("user") - (roles[-1] == "user") < self.every

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The summary, then what it does not cover yet."""
        # Quoted like a line behind a label: a summary must not forge a turn either.
        summary = quoted(f"\n{summary_of(state)}", self.labels.names)[1:]
        return View.of(await log.after(state.watermark), (summary,))

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
        every, memory.every = memory.every, 1  # It is the steps that count here.
        messages = chat_memory.messages if isinstance(chat_memory, ChatHistory) else chat_memory
        said = [checked(message) for message in messages]
        for start in range(0, len(said), summarize_step):
            memory.add_messages(said[start : start + summarize_step])
        memory.every = every
        return memory


def summary_of(state: State) -> str:
    """The summary in a state."""
    return str(state.items.get("summary", ""))
