"""Memories that take a model's poor reply as LangChain takes it: what is no answer to the question stops no program.

A refusal, or a reply without a word, still replaces nothing: the exchange waits, and the model is asked again.
"""

from collections.abc import Sequence
from typing import Any

from memzoo.errors import ModelReplyError
from memzoo.memories import ConversationEntityMemory as PlainEntity
from memzoo.memories import ConversationKGMemory as PlainKG
from memzoo.stores import Entry
from memzoo.strategy import Changes, Log, State, strategy, text_of

__all__ = ["ConversationEntityMemory", "ConversationKGMemory"]


@strategy
class ConversationEntityMemory(PlainEntity):
    """Adds prose to the notes on whom the last load found, where a line for each was asked for.

    LangChain makes it the whole note. Without a load, or where it found nobody, the exchange leaves no note.
    """

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """See `ConversationEntityMemory`."""
        names = self._hint.names if self._hint else []
        try:
            return await super().derive(state, entries, log)
        except ModelReplyError as error:
            if error.refused or not error.reply:
                raise
            prose = " ".join(error.reply.split())
            told = [(name, None, prose) for name in names]
            return self._bound(state, self._notes(state).amend_notes(told, {}, entries))


@strategy
class ConversationKGMemory(PlainKG):
    """Takes no facts from prose, where triples were asked for."""

    # Not annotated, or it would be an option: the prompt is LangChain's, with LangChain's values for its variables.
    has_langchains_prompt = False

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """See `ConversationKGMemory`."""
        try:
            return await super().derive(state, entries, log)
        except ModelReplyError as error:
            if error.refused or not error.reply:
                raise
            return Changes()

    async def aget_knowledge_triplets(self, input_string: str) -> list[Any]:
        """See `ConversationKGMemory`."""
        try:
            if not self.has_langchains_prompt:
                return await super().aget_knowledge_triplets(input_string)
            history = self.render.lines(await (await self.log.refreshed()).exchanges(self.k))
            lines = {"history": history, "new_lines": self.redactor.text(input_string)}
            return await self._statements(self.kg, self._known, **lines)
        except ModelReplyError:
            return []

    async def _lines(self, before: Sequence[Entry], mined: Sequence[Entry], log: Log) -> dict[str, str]:
        lines = await super()._lines(before, mined, log)
        if self.has_langchains_prompt:
            # There, the history has the new exchange, and the input is the user's words without a label.
            words = "\n".join(text_of(entry.message) for entry in mined)
            lines |= {"history": self.render.lines(await log.exchanges(self.k)), "new_lines": words}
        return lines

    async def aget_current_entities(self, input_string: str) -> list[str]:
        """See `ConversationKGMemory`; of prose, what stands between its commas."""
        try:
            return await super().aget_current_entities(input_string)
        except ModelReplyError as error:
            return [part for part in map(str.strip, error.reply.split(",")) if part]
