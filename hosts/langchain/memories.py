"""Memories with the interface of LangChain's memory classes."""

import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

from memzoo.errors import ModelError, ModelReplyError
from memzoo.hosts.langchain.base import LangChainMemory
from memzoo.hosts.langchain.entities import InMemoryEntityStore, NotesOfMemory, is_durable, notes_in
from memzoo.hosts.langchain.graph import EntityGraph, KnowledgeTriple, triples_in
from memzoo.hosts.langchain.history import ChatHistory
from memzoo.hosts.langchain.messages import dicts
from memzoo.hosts.langchain.poor_replies import ConversationEntityMemory as PlainEntity
from memzoo.hosts.langchain.poor_replies import ConversationKGMemory as PlainKG
from memzoo.hosts.langchain.state import put
from memzoo.memories import ConversationBufferMemory as PlainBuffer
from memzoo.memories import ConversationBufferWindowMemory as PlainWindow
from memzoo.memories import ConversationSummaryBufferMemory as PlainSummaryBuffer
from memzoo.memories import ConversationSummaryMemory as PlainSummary
from memzoo.memories import TokenWindowMemory
from memzoo.memories.options import whole_number
from memzoo.memories.strategies.summarizing import SummarizingMemory
from memzoo.stores import InMemoryStore
from memzoo.sync import blocking

logger = logging.getLogger("memzoo")


class _Buffered(LangChainMemory):
    """A memory with its view in the property `buffer`."""

    async def abuffer(self) -> Any:
        """Return the view: a transcript, or a list of messages if `return_messages` is true."""
        return await self._view()

    async def abuffer_as_str(self) -> str:
        """Return the view as a transcript."""
        return str(await self._view(messages=False))

    async def abuffer_as_messages(self) -> list[Any]:
        """Return the view as messages."""
        return list(await self._view(messages=True))

    buffer = property(blocking(abuffer))
    buffer_as_str = property(blocking(abuffer_as_str))
    buffer_as_messages = property(blocking(abuffer_as_messages))


class ConversationBufferMemory(_Buffered):
    r"""Shows the whole conversation.

    Example:
        >>> memory = ConversationBufferMemory(memory_key="chat_history")
        >>> memory.save_context({"input": "hi"}, {"output": "what's up"})
        >>> memory.buffer
        "Human: hi\nAI: what's up"
    """

    plain_class = PlainBuffer

    @property
    def buffer(self) -> Any:
        """The view: a transcript, or the list `chat_memory.messages` if `return_messages` is true."""
        return self.chat_memory.messages if self.return_messages else self.buffer_as_str

    @property
    def buffer_as_messages(self) -> Any:
        """The list `chat_memory.messages`, so that changes to the list change the conversation."""
        return self.chat_memory.messages


class ConversationBufferWindowMemory(_Buffered):
    """Shows the last `k` exchanges, 5 by default."""

    plain_class = PlainWindow


class ConversationTokenBufferMemory(_Buffered):
    """Shows the newest messages that fit `max_token_limit`, and always the user's newest message."""

    plain_class = TokenWindowMemory
    defaults: ClassVar[Mapping[str, Any]] = {"oversized": "keep"}


class _Recalling(LangChainMemory):
    """A memory whose derived texts, such as a summary, become messages of the class `summary_message_cls`."""

    extras: ClassVar[Mapping[str, Any]] = {"summary_message_cls": None}

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables for a prompt; derived texts have the class `summary_message_cls`."""
        loaded, chosen = await super().aload_memory_variables(inputs), self.summary_message_cls
        if chosen is None or not self.return_messages:
            return loaded
        said = {message["content"] for message in await self.plain.ahistory() if message["role"] == "system"}
        return {
            name: [
                chosen(content=one.content) if one.type == "system" and one.content not in said else one
                for one in messages
            ]
            for name, messages in loaded.items()
        }


class _Summarizing(_Recalling):
    """A memory with a summary, which may have an initial value."""

    templates: ClassVar[Mapping[str, str]] = {"prompt": "summary"}

    async def apredict_new_summary(self, messages: Sequence[Any], existing_summary: str) -> str:
        """Return the existing summary extended by messages; store nothing. If the model refuses, return its refusal."""
        plain: Any = self.plain
        try:
            return str(await plain.apredict_new_summary(dicts(messages), existing_summary))
        except ModelReplyError as error:
            return error.reply

    predict_new_summary = blocking(apredict_new_summary)

    @property
    def _summary(self) -> str:
        return self.plain.summary if isinstance(self.plain, SummarizingMemory) else ""


class ConversationSummaryMemory(_Summarizing):
    """Shows a summary of the whole conversation. The option `buffer` is the initial summary."""

    plain_class = PlainSummary
    brought = ("buffer",)

    @property
    def buffer(self) -> str:
        """The summary."""
        return self._summary

    @buffer.setter
    def buffer(self, summary: str) -> None:
        put(self.plain, lambda _: {"summary": summary}, stands_for_all=True)

    @classmethod
    def from_messages(cls, llm: Any, chat_memory: Any, *, summarize_step: int = 2, **options: Any) -> Self:
        """Return a memory with a summary of the given messages. If the model fails, the next save summarises them.

        Args:
            llm: The model.
            chat_memory: A list of messages, or a history. The new memory copies a list, or the `chat_memory` of another
                memory. It keeps its messages in any other history.
            summarize_step: The number of messages per model call.
            **options: Options of the memory; `buffer` is a summary of the messages before the given ones.
        """
        whole_number("summarize_step", summarize_step, at_least=1)
        summary = before = options.pop("buffer", "")
        # The summary of another memory is in its history's store, and must stay.
        if hasattr(chat_memory, "messages") and type(chat_memory) is not ChatHistory:
            memory = cls(llm=llm, chat_memory=chat_memory, **options)
        else:
            memory = cls(llm=llm, **options)
            memory.chat_memory.add_messages(getattr(chat_memory, "messages", chat_memory))
        said, plain = dicts(memory.chat_memory.messages), cast("PlainSummary", memory.plain)
        try:
            for start in range(0, len(said), summarize_step):
                summary = plain.predict_new_summary(said[start : start + summarize_step], summary)
        except ModelError as error:
            if memory.on_model_error == "raise":
                raise
            logger.warning("the summary of %d messages waits for the next save: %s", len(said), error)
            if before:
                put(memory.plain, lambda _: {"summary": before})
        else:
            memory.buffer = summary
        return memory


class ConversationSummaryBufferMemory(_Summarizing):
    """Shows a summary of older messages, and the newest messages that fit `max_token_limit`."""

    plain_class = PlainSummaryBuffer
    brought = ("moving_summary_buffer",)

    @property
    def moving_summary_buffer(self) -> str:
        """The summary of older messages. The view also has the newest messages."""
        return self._summary

    @moving_summary_buffer.setter
    def moving_summary_buffer(self, summary: str) -> None:
        put(self.plain, lambda _: {"summary": summary})

    async def abuffer(self) -> Any:
        """Return the view: a transcript, or a list of messages if `return_messages` is true."""
        return await self._view()

    buffer = property(blocking(abuffer))

    async def aprune(self) -> None:
        """Summarise the messages that exceed the token limit, unless this has been done already."""
        await self.plain.asettle()

    prune = blocking(aprune)

    def _make(self, **changed: Any) -> Any:
        """Make the plain memory; by default, pruning stops as soon as the rest fits `max_token_limit`."""
        limit = {**self._given, **changed}.get("max_token_limit", 2000)
        return super()._make(**{"prune_to": self._given.get("prune_to", limit), **changed})


class ConversationEntityMemory(LangChainMemory):
    """Shows the last `k` exchanges, and notes on the entities in the input.

    `entity_cache` has the names that the latest call of `load_memory_variables` found.
    """

    plain_class = PlainEntity
    defaults: ClassVar[Mapping[str, Any]] = {"max_token_limit": None, "ask_at_load": True}
    templates: ClassVar[Mapping[str, str]] = {
        "entity_extraction_prompt": "current_entities",
        "entity_summarization_prompt": "entity_update",
    }
    brought = ("entity_store",)
    extras: ClassVar[Mapping[str, Any]] = {"entity_cache": (), "chat_history_key": "history"}

    def _make(self, **changed: Any) -> Any:
        plain: Any = super()._make(**{"memory_key": self._given["chat_history_key"], **changed})
        plain.has_langchains_prompt = any(self._given.get(option) is not None for option in self.templates)
        return plain

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the variables for a prompt: the last exchanges, and "entities", a dict from name to note."""
        loaded = await super().aload_memory_variables(inputs)
        self._given["entity_cache"] = list(loaded["entities"])
        return loaded

    async def aclear(self) -> None:
        """Delete the conversation, and all notes."""
        await super().aclear()
        self._given["entity_cache"] = []

    @property
    def buffer(self) -> Any:
        """The list `chat_memory.messages`, so that changes to the list change the conversation."""
        return self.chat_memory.messages

    @property
    def entity_store(self) -> InMemoryEntityStore:
        """The store with the notes on all entities."""
        return NotesOfMemory(self.plain)

    @entity_store.setter
    def entity_store(self, store: Any) -> None:
        NotesOfMemory(self.plain).store = dict(notes_in(store))
        if is_durable(store) and isinstance(self.plain.store, InMemoryStore):
            warnings.warn(
                f"the notes of {type(store).__name__} were copied, but new ones are not written to it; give "
                "store=open_store(...) and conversation_id=... to keep them",
                stacklevel=2,
            )


class ConversationKGMemory(_Recalling):
    """Shows facts about the entities that the input names. The facts are taken from the user's words."""

    plain_class = PlainKG
    defaults: ClassVar[Mapping[str, Any]] = {"mine_ai": False, "max_token_limit": None, "ask_at_load": True}
    templates: ClassVar[Mapping[str, str]] = {
        "entity_extraction_prompt": "current_entities",
        "knowledge_extraction_prompt": "triple_extraction",
    }
    brought = ("kg",)

    @property
    def kg(self) -> EntityGraph:
        """The memory's facts as a graph with LangChain's methods."""
        return EntityGraph(self.plain)

    @kg.setter
    def kg(self, graph: Any) -> None:
        self.kg.take_in(triples_in(graph))

    def _make(self, **changed: Any) -> Any:
        plain: Any = super()._make(**changed)
        plain.has_langchains_prompt = self._given.get("knowledge_extraction_prompt") is not None
        return plain

    def get_current_entities(self, input_string: str) -> list[str]:
        """Return the names that a text is about."""
        plain: Any = self.plain
        return list(plain.get_current_entities(input_string))

    def get_knowledge_triplets(self, input_string: str) -> list[KnowledgeTriple]:
        """Return the facts that a text states, without storing them."""
        plain: Any = self.plain
        return [KnowledgeTriple(*found[:3]) for found in plain.get_knowledge_triplets(input_string)]
