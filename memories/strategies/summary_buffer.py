"""Remember the newest messages word for word, and a summary of what is older."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import whole_number
from memzoo.memories.strategies.summarizing import SummarizerMemory, summary_of
from memzoo.memories.text.rendering import system_message
from memzoo.memories.text.view import View
from memzoo.stores import Entry, Message
from memzoo.stores.errors import OptionError

__all__ = ["ConversationSummaryBufferMemory"]


Kept: TypeAlias = list[int]
"""A message that is shown word for word: its log number, its tokens, and 1 if it is a tool's result."""


@dataclass(kw_only=True, eq=False)
class ConversationSummaryBufferMemory(SummarizerMemory):
    """Shows the newest messages, as many as fit a limit of tokens, behind a summary of the older ones.

    A model is asked only when the limit is passed, and then once, for all the messages that have to go. Each message is
    counted once in its life.

    Args:
        max_token_limit: Tokens that the messages shown word for word may have together.
        count_summary: Let the summary count towards the limit.
        prune_to: Tokens that stay when the limit is passed; `None` for as many as fit the limit. Much less than the
            limit means fewer calls, because the next exchanges have room.
        **summarizer: See `SummarizerMemory`, `ModelBackedMemory` and `BaseMemory`.

    Example:
        >>> memory = ConversationSummaryBufferMemory(
        ...     llm=lambda messages: "Sam greets the AI.", max_token_limit=5, token_counter=lambda message: 2
        ... )
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.save_context({"input": "How are you?"}, {"output": "Well!"})
        >>> print(memory.load_memory_variables({})["history"])
        System: Sam greets the AI.
        Human: How are you?
        AI: Well!
    """

    name = "summary-buffer"

    max_token_limit: int = 2000
    count_summary: bool = False
    prune_to: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("max_token_limit", self.max_token_limit, at_least=0)
        if self.prune_to is not None:
            whole_number("prune_to", self.prune_to, at_least=0)
            if self.prune_to > self.max_token_limit:
                raise OptionError(
                    f"prune_to must be at most max_token_limit {self.max_token_limit}, not {self.prune_to}"
                )

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Count the new messages, and summarise the oldest until the rest fits."""
        kept = await self._counted(state, entries, log)
        summary = await self.bounded(summary_of(state))
        while gone := self._over(kept, summary):
            old = await log.between(kept[0][0], kept[gone - 1][0])
            summary = await self.apredict_new_summary(messages_of(old), summary)
            kept = kept[gone:]
        return Changes({"summary": summary, "kept": kept, "counter": self.counter.name})

    async def needed(self, log: Log, state: State) -> int:
        """What the summary does not cover yet."""
        return _first(state)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The summary, then all messages that it does not cover."""
        return View.of(await log.after(_first(state) - 1), (summary_of(state),))

    def unfinished(self, state: State) -> bool:
        """Whether a stored conversation is over the limit that this memory was given, or counted otherwise."""
        kept = _kept(state)
        if super().unfinished(state):
            return True
        return bool(kept) and (state.items["counter"] != self.counter.name or self._over(kept, summary_of(state)) > 0)

    def as_messages(self, view: View) -> list[Message]:
        """The view as chat messages; no system message as long as there is no summary."""
        return super().as_messages(View(tuple(view.texts), view.messages))

    def as_text(self, view: View) -> str:
        """The view as a transcript in which the summary is a system turn."""
        return self.render([*map(system_message, view.texts), *view.messages])

    @property
    def moving_summary_buffer(self) -> str:
        """The summary, by its name in LangChain."""
        return self.summary

    async def _counted(self, state: State, entries: Sequence[Entry], log: Log) -> list[Kept]:
        kept = _kept(state)
        if kept and state.items["counter"] != self.counter.name:
            entries, kept = await log.after(kept[0][0] - 1), []
        return kept + [[entry.seq, self.counter(entry.message), entry.message["role"] == "tool"] for entry in entries]

    def _over(self, kept: Sequence[Kept], summary: str) -> int:
        """How many of the oldest messages have to go, if the limit is passed; a tool's result goes with its call."""
        spare = self.max_token_limit - sum(tokens for _, tokens, _ in kept)
        if self.count_summary and summary:
            spare -= self.counter({"role": "system", "content": summary})
        if spare < 0 and self.prune_to is not None:
            spare -= self.max_token_limit - self.prune_to
        gone = 0
        while gone < len(kept) and (spare < 0 or (gone and kept[gone][2])):
            spare += kept[gone][1]
            gone += 1
        return gone


def _kept(state: State) -> list[Kept]:
    kept: list[Kept] = state.items.get("kept", [])
    return kept


def _first(state: State) -> int:
    """The first message that the summary does not cover."""
    kept = _kept(state)
    return kept[0][0] if kept else state.watermark + 1
