"""The base of the strategies that keep a summary."""

import contextlib
from collections.abc import Sequence

from memzoo.memories.engine.log import Log, messages_of
from memzoo.memories.engine.prompt_limit import TooLongError
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.replies import prose
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.messages import quoted
from memzoo.memories.text.shortening import shortened
from memzoo.stores import Entry, Message
from memzoo.stores.driving import blocking, drive
from memzoo.stores.errors import ModelReplyError

__all__ = ["SummarizingMemory", "summary_of"]


@strategy
class SummarizingMemory(ModelBackedMemory):
    """Remembers a summary, and lets a model take messages into it."""

    max_summary_tokens: int | None = option(
        None,
        at_least=1,
        doc="Tokens that the summary may have at most. The model is told; a reply over the limit is asked for once "
        "more, shorter, and then cut at the end of a sentence.",
    )

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Take the new messages into the summary."""
        old = summary_of(state)
        new = await (self.apredict_new_summary(messages_of(entries), old) if entries else self._bounded(old))
        earlier = {item: None for item in _EARLIER if item in state.items}
        return Changes(earlier if new == old else {**earlier, "summary": new})

    async def oldest_needed(self, log: Log, state: State) -> int:
        """What the summary does not cover yet."""
        return state.watermark + 1

    async def apredict_new_summary(self, messages: Sequence[Message], existing_summary: str) -> str:
        """The summary that takes in some messages, oldest first; the old one if they add nothing.

        One model call, or two if the first summary is over the limit. Nothing is stored.

        Raises:
            ModelError: The model failed or refused, or its reply was empty.
        """
        lines = self._renderer.lines_of(list(map(self._redactor.message, messages)))
        return await self._bounded(await self._written(self._redactor.text(existing_summary), lines))

    predict_new_summary = blocking(apredict_new_summary)

    @property
    def summary(self) -> str:
        """The summary as it is stored; "" before there is one."""
        return summary_of(drive(self._engine.state()))

    def _quoted_summary(self, state: State) -> str:
        """The summary as it is shown before a transcript: it must not forge a turn either."""
        return quoted(f"\n{summary_of(state)}", self._renderer.labels.names)[1:]

    def due(self, state: State, waiting: Sequence[Entry]) -> bool | int:
        """If anything waits, or if the stored summary is over the limit that this memory was given."""
        return bool(waiting) or self._too_long(summary_of(state))

    async def _bounded(self, summary: str) -> str:
        """A summary within the limit: as it is if it fits, else as the model shortens it, else cut."""
        if not self._too_long(summary):
            return summary
        # The summary there is was paid for and is right, only too long.
        with contextlib.suppress(ModelReplyError, TooLongError):
            summary = await self._written(summary, "")
        return shortened(summary, lambda beginning: not self._too_long(beginning))

    async def _written(self, summary: str, new_lines: str) -> str:
        reply = await self.ask("summary", summary=summary, new_lines=new_lines, limit=self.max_summary_tokens or 0)
        return prose(reply, "summary", summary)

    def _too_long(self, summary: str) -> bool:
        if self.max_summary_tokens is None or not summary:
            return False
        return self._renderer.text_tokens(summary) > self.max_summary_tokens


# What memzoo 0.1 kept beside a summary: it says how far the summary goes, which the watermark says now.
_EARLIER = ("kept", "counter", "distilled", "system")


def summary_of(state: State) -> str:
    """The summary in a state."""
    return str(state.items.get("summary", ""))
