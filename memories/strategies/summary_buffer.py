"""Remember the newest messages word for word, and a summary of older messages."""

from collections.abc import Sequence
from typing import Annotated

from memzoo.errors import OptionError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import State
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.strategies.summarizing import SummarizingMemory, summary_of
from memzoo.memories.text.view import View, as_room
from memzoo.stores import Entry

_LEAST_TARGET = 600


@strategy
class ConversationSummaryBufferMemory(SummarizingMemory):
    """Shows the newest messages that fit a token limit, after a summary of the older ones.

    The model is asked only when the limit is exceeded: one call then summarises enough of the oldest messages to make
    room for the next exchanges (`prune_to`).

    This memory is good for the exact words of the newest messages, with few calls. The details of older messages depend
    on the summary's length. A large model's summary of up to 800 tokens, with 200 tokens of messages, contains 72 % of
    the answers to the questions about the bundled conversation. 1,000 tokens of `ConversationEntityMemory`'s notes
    contain 87 %.

    Costs: 1 call when the limit is exceeded; tokens up to the limit, and the summary.
    Needs: a model.

    State: `summary`, a text. Messages that are not summarised are shown.

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

    max_token_limit: Annotated[int, AtLeast(0)] = 2000
    """Token limit for messages shown word for word. The summary comes on top, unless `count_summary` is set;
    `max_state_tokens` limits it.
    """
    count_summary: bool = False
    """Count the summary towards the limit. By default, the model is then asked for a summary of at most three quarters
    of the limit, which leaves room for messages.
    """
    prune_to: Annotated[int | None, AtLeast(0)] = None
    """The most tokens of messages to keep once the limit is passed; by default half of the limit, so that the next
    exchanges have room without a model call. LangChain's memory keeps as many as fit, like `prune_to=max_token_limit`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prune_to is not None and self.prune_to > self.max_token_limit:
            raise OptionError(f"prune_to must be at most max_token_limit {self.max_token_limit}, not {self.prune_to}")

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """Return how many of the oldest messages to summarise now; 0 if the limit is not exceeded.

        A tool call and its results are summarised together.
        """
        spare = self._spare(state, waiting)
        if spare < 0:
            # Make room down to `prune_to`: otherwise the next message would need a model call again.
            left = self.max_token_limit // 2 if self.prune_to is None else self.prune_to
            spare -= self.max_token_limit - left
        gone = 0
        pinned = {entry.seq for entry in self.log.pins.entries}
        while gone < len(waiting) and (spare < 0 or (gone and waiting[gone].message["role"] == "tool")):
            # Pinned messages are shown even after they are summarised, so they free no tokens.
            spare += 0 if waiting[gone].seq in pinned else self.render.tokens(waiting[gone])
            gone += 1
        return gone

    @property
    def _target(self) -> int:
        """The most tokens that a summary should have: by default about as many as the messages may have."""
        # A summary that counts towards the limit must leave room for messages.
        most = self.max_token_limit * 3 // 4 if self.count_summary else max(self.max_token_limit, _LEAST_TARGET)
        return self.max_state_tokens or min(most, super()._target)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return a view of the summary and the messages that are not summarised."""
        self.log.pins.room(self.max_token_limit, self.render.tokens)
        summary = summary_of(state)
        entries = await log.after(state.watermark)
        is_over = self.is_over_limit(state)

        def room() -> int:
            return -1 if is_over else as_room(self._spare(state, entries), entries, self.render.tokens)

        recalled = (summary,) if summary else ()
        return View(recalled, entries, summary_as_turn=True, room=room, texts_stay=True)

    def _spare(self, state: State, waiting: Sequence[Entry]) -> float:
        """Return the number of tokens that fit before a summary is due; below 0 if a summary is due now."""
        pinned = sum(map(self.render.tokens, self.log.pins.besides(waiting)))
        spare = self.max_token_limit - pinned - self.render.total(waiting)
        if self.count_summary and (summary := summary_of(state)):
            spare -= self.render.count_recalled(summary, quoted=False)
        return spare
