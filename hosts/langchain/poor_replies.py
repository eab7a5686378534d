"""Memories that accept a model's poor replies, as LangChain's memories do, and can learn with LangChain's prompts.

If a model replies in prose instead of the expected form, no error is raised. After a refusal or an empty reply, the
memory does not learn from the exchange yet. A later call asks the model again.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from memzoo.errors import ModelReplyError
from memzoo.hosts.langchain.entities import write_notes
from memzoo.hosts.langchain.prompts import ENTITY_UPDATE
from memzoo.memories import ConversationEntityMemory as PlainEntity
from memzoo.memories import ConversationKGMemory as PlainKG
from memzoo.memories.engine.prompt_limit import TooLongError
from memzoo.memories.models import replies
from memzoo.memories.text.names import is_pronoun
from memzoo.stores import Entry
from memzoo.strategy import Changes, Log, State, strategy, text_of
from memzoo.sync import blocking


@strategy
class ConversationEntityMemory(PlainEntity):
    """An entity memory that accepts prose from a model that was asked for one line per entity.

    The prose is added to the notes on the entities that the latest `load_memory_variables` found. If it found none, the
    prose is dropped. With LangChain's prompts, the model first finds names, and then rewrites the notes on these names.
    """

    _own_prompts: ClassVar = {"entity_update": ENTITY_UPDATE}
    # Annotated attributes would be options.
    has_langchains_prompt = False
    _hint = None

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Update the notes with new messages, even if the model replies in prose."""
        names = self._hint.names if self._hint else []
        try:
            return await super().derive(state, entries, log)
        except ModelReplyError as error:
            if error.refused or not error.reply:
                raise
            prose = " ".join(error.reply.split())
            told = [(name, None, prose) for name in names]
            return self._bound(state, self._notes(state).amend_notes(told, {}, entries))

    async def _ask_for_names(self, query: str, recent: Sequence[Entry], state: State) -> list[str]:
        self._hint = None
        names = await super()._ask_for_names(query, recent, state)
        self._hint = _Hint(query, recent[-1].seq if recent else state.watermark, names)
        return names

    async def _amend(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        if not self.has_langchains_prompt:
            return await super()._amend(state, entries, log)
        before = await log.until_number(entries[0].seq - 1).exchanges(self.k)
        if not self._teaches(before, entries):
            return Changes()
        history, new_lines = self.render.lines(before), self.render.lines(entries)
        names = self._take_hint(entries)
        if names is None:
            reply = await self._ask("current_entities", history=history, input=new_lines, known=())
            names = replies.names(reply)
        if not names:
            return Changes()
        notes = self._notes(state)
        asked = {notes.key(name): name for name in names}
        known = [{"name": notes.name(key, name), "summary": notes.summary(key)} for key, name in asked.items()]
        try:
            reply = await self._ask("entity_update", history=history, new_lines=new_lines, entities=known)
        except TooLongError:
            return await super()._amend(state, entries, log)
        new = dict[str, str]()
        for one in replies.amendments(reply, [note["name"] for note in known], new_lines):
            if one.name and not is_pronoun(one.name):
                name = asked.setdefault(notes.key(one.name), one.name)
                new[name] = f"{new.get(name, '')} {one.text}".strip()
        return self._bound(state, write_notes(notes, new, entries))

    def _take_hint(self, entries: Sequence[Entry]) -> list[str] | None:
        hint, self._hint = self._hint, None
        first = entries[0]
        exchange = [entry.message["role"] for entry in entries] == ["user", "assistant"]
        if hint is None or not exchange or hint[:2] != (text_of(first.message), first.seq - 1):
            return None
        return hint.names


@strategy
class ConversationKGMemory(PlainKG):
    """A knowledge graph memory that ignores a reply in prose to a prompt for triples."""

    # True if the prompt is LangChain's, and gets LangChain's values for its variables. An annotated attribute would be
    # an option.
    has_langchains_prompt = False

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Add the facts in new messages. A reply in prose adds no facts."""
        try:
            return await super().derive(state, entries, log)
        except ModelReplyError as error:
            if error.refused or not error.reply:
                raise
            return Changes()

    async def aget_knowledge_triplets(self, input_string: str) -> list[Any]:
        """Return the facts in a text, without storing them. The model also reads the last `k` exchanges."""
        history, words = await self._recent(), self._redactor.text(input_string)
        lines = words if self.has_langchains_prompt else self.render.labels.line({"role": "user", "content": words})
        own = {} if self.has_langchains_prompt else {"dated_history": history, "dated_new_lines": lines}
        try:
            return await self._statements(self.kg, self._known, history=history, new_lines=lines, **own)
        except ModelReplyError:
            return []

    async def _lines(self, before: Sequence[Entry], mined: Sequence[Entry], log: Log) -> dict[str, str]:
        lines = await super()._lines(before, mined, log)
        if self.has_langchains_prompt:
            # In LangChain, the history includes the new exchange, and the input is the user's words without a label.
            words = "\n".join(text_of(entry.message) for entry in mined)
            lines |= {"history": self.render.lines(await log.exchanges(self.k)), "new_lines": words}
        return lines

    async def aget_current_entities(self, input_string: str) -> list[str]:
        """Return the names that a text mentions. The model also reads the last `k` exchanges.

        If the model replies in prose, the parts between commas are taken as names.
        """
        history, asked = await self._recent(), self._redactor.text(input_string)
        try:
            return replies.names(await self._ask("current_entities", history=history, input=asked, known=()))
        except ModelReplyError as error:
            return [part for part in map(str.strip, error.reply.split(",")) if part]

    async def _recent(self) -> str:
        return self.render.lines(await (await self.log.refreshed()).exchanges(self.k))

    get_knowledge_triplets = blocking(aget_knowledge_triplets)
    get_current_entities = blocking(aget_current_entities)


class _Hint(NamedTuple):
    """The names that a load found, kept for the next save, with the input and the last log number at that load."""

    query: str
    last_seq: int
    names: list[str]
