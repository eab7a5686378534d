"""Remember a summary that grows with the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from memzoo.memories.engine.chat_history import ChatHistory
from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.chat import ModelOption
from memzoo.memories.options import whole_number
from memzoo.memories.strategies.summarizing import SummarizerMemory, summary_of
from memzoo.memories.text.messages import checked
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Message

__all__ = ["ConversationSummaryMemory"]


@dataclass(kw_only=True, eq=False)
class ConversationSummaryMemory(SummarizerMemory):
    """Shows a summary of all that was said.

    It is brought up to date with each exchange, and stays short however long the conversation grows; the price is a
    model call for each save, and whatever the model leaves out. With `every`, one call serves several exchanges.
    Messages that were not taken in yet are shown word for word behind the summary.

    Args:
        every: How many exchanges are taken in with one call.
        every_tokens: Tokens of new messages for which a call is made before that many exchanges; with `every` left at
            1, only they count.
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
    every_tokens: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("every", self.every, at_least=1)
        if self.every_tokens is not None:
            whole_number("every_tokens", self.every_tokens, at_least=1)
        self._waiting: dict[tuple[str, int], int] = {}

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Take the new messages into the summary."""
        old = summary_of(state)
        new = await (self.apredict_new_summary(messages_of(entries), old) if entries else self.bounded(old))
        return Changes() if new == old else Changes({"summary": new})

    async def needed(self, log: Log, state: State) -> int:
        """What the summary does not cover yet."""
        return state.watermark + 1

    def waits_for_more(self, entries: Sequence[Entry]) -> bool:
        """Whether there are too few whole exchanges, and too few tokens, for a call."""
        if self.every_tokens is not None and self._tokens(entries) >= self.every_tokens:
            return False
        if self.every == 1:
            return self.every_tokens is not None
        roles = [entry.message["role"] for entry in entries]
        return roles.count("user") - int(roles[-1] == "user") < self.every

    def _tokens(self, entries: Sequence[Entry]) -> int:
        """The tokens of waiting messages, each counted once while it waits."""
        known = self._waiting
        keys = {(entry.turn_id, entry.seq): entry.message for entry in entries}
        self._waiting = {key: known[key] if key in known else self.counter(said) for key, said in keys.items()}
        return sum(self._waiting.values())

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The summary, then what it does not cover yet."""
        return View.of(await log.after(state.watermark), (self.quoted_summary(state),))

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
        waiting, memory.every, memory.every_tokens = (memory.every, memory.every_tokens), 1, None  # Steps count here.
        messages = chat_memory.messages if isinstance(chat_memory, ChatHistory) else chat_memory
        said = [checked(message) for message in messages]
        for start in range(0, len(said), summarize_step):
            memory.add_messages(said[start : start + summarize_step])
        memory.every, memory.every_tokens = waiting
        return memory
