"""Remember the newest messages word for word, and a summary of what is older."""

from collections.abc import Sequence
from typing import NamedTuple

from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.summarizing import SummarizingMemory, summary_of
from memzoo.memories.text.view import View
from memzoo.stores import Entry
from memzoo.stores.errors import OptionError

__all__ = ["ConversationSummaryBufferMemory"]


class Kept(NamedTuple):
    """A message that is shown word for word; in the stored state a list in this order."""

    seq: int
    tokens: int
    is_result: int
    """1 for a tool's result, which goes with its call."""


@strategy
class ConversationSummaryBufferMemory(SummarizingMemory):
    """Shows the newest messages that fit a token limit, behind a summary of the older ones.

    The model is asked only when the limit is passed, and then once for all the messages that have to go: enough to make
    room for the next exchanges (`prune_to`).

    State: `summary`, a text; `kept`, a list of `[number, tokens, 1 if it is a tool's result]` for each message that is
    shown, oldest first; `counter`, the name of what counted the tokens.

    Example:
        >>> limits = {"max_token_limit": 3, "prune_to": 2, "token_counter": lambda message: 1}
        >>> memory = ConversationSummaryBufferMemory(llm=lambda messages: "Sam greets the AI.", **limits)
        >>> memory.save_context({"input": "Hi, I am Sam."}, {"output": "Hello Sam!"})
        >>> memory.save_context({"input": "How are you?"}, {"output": "Well!"})
        >>> print(memory.load_memory_variables({})["history"])
        System: Sam greets the AI.
        Human: How are you?
        AI: Well!
    """

    name = "summary-buffer"

    max_token_limit: int = option(
        2000, at_least=0, doc="Tokens that the messages shown word for word may have together."
    )
    count_summary: bool = option(default=False, doc="Let the summary count towards the limit.")
    prune_to: int | None = option(
        None,
        at_least=0,
        doc="Tokens that stay when the limit is passed; by default half of it, so that the next exchanges have room "
        "and few of them ask the model. LangChain's memory keeps as many as fit, which is `prune_to=max_token_limit`.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prune_to is not None and self.prune_to > self.max_token_limit:
            raise OptionError(f"prune_to must be at most max_token_limit {self.max_token_limit}, not {self.prune_to}")

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Count the new messages, and summarise the oldest until the rest fits."""
        kept = await self._counted(state, entries, log)
        summary = await self.bounded(summary_of(state))
        while gone := self._over(kept, summary):
            old = await log.between(kept[0].seq, kept[gone - 1].seq)
            summary = await self.apredict_new_summary(messages_of(old), summary)
            kept = kept[gone:]
        return Changes({"summary": summary, "kept": list(map(list, kept)), "counter": self.counter.name})

    def due(self, state: State, waiting: Sequence[Entry]) -> bool:
        """If anything waits, or if what is stored is over the limits of this memory, or was counted otherwise."""
        kept = _kept(state)
        if super().due(state, waiting):
            return True
        return bool(kept) and (state.items["counter"] != self.counter.name or self._over(kept, summary_of(state)) > 0)

    async def oldest_needed(self, log: Log, state: State) -> int:
        """What the summary does not cover yet."""
        return _first(state)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The summary, then all messages that it does not cover."""
        summary = summary_of(state)
        said = await log.after(_first(state) - 1)
        return View((summary,) if summary else (), said, summary_as_turn=True)

    @property
    def moving_summary_buffer(self) -> str:
        """The summary, by its name in LangChain."""
        return self.summary

    async def _counted(self, state: State, entries: Sequence[Entry], log: Log) -> list[Kept]:
        kept = _kept(state)
        if kept and state.items["counter"] != self.counter.name:
            entries, kept = await log.after(kept[0].seq - 1), []
        new = [Kept(one.seq, self._renderer.tokens(one), int(one.message["role"] == "tool")) for one in entries]
        return kept + new

    def _over(self, kept: Sequence[Kept], summary: str) -> int:
        """How many of the oldest messages have to go, if the limit is passed; a tool's result goes with its call."""
        spare = self.max_token_limit - sum(one.tokens for one in kept)
        if self.count_summary and summary:
            spare -= self.counter({"role": "system", "content": summary})
        if spare < 0:
            # Make room down to `prune_to`, so that not the very next message asks the model again.
            spare -= self.max_token_limit - (self.max_token_limit // 2 if self.prune_to is None else self.prune_to)
        gone = 0
        while gone < len(kept) and (spare < 0 or (gone and kept[gone].is_result)):
            spare += kept[gone].tokens
            gone += 1
        return gone


def _kept(state: State) -> list[Kept]:
    return [Kept(*one) for one in state.items.get("kept", [])]


def _first(state: State) -> int:
    """The first message that the summary does not cover."""
    kept: list[list[int]] = state.items.get("kept", [])
    return kept[0][0] if kept else state.watermark + 1
