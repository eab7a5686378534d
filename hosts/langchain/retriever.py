"""Memories that search with LangChain's retrievers or memzoo's own search."""

import dataclasses
import itertools
from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, ClassVar

from memzoo.errors import MessageError, OptionError
from memzoo.hosts.langchain.base import LangChainMemory, either
from memzoo.hosts.langchain.messages import documents, question, values
from memzoo.memories import VectorStoreRetrieverMemory as PlainVectors
from memzoo.memories.options import names
from memzoo.memories.search.persisted_index import Documents
from memzoo.memories.text.keys import input_key_of
from memzoo.memories.text.messages import checked
from memzoo.stores import Entry, Record
from memzoo.strategy import BaseMemory, Changes, Log, State, View, strategy
from memzoo.types import Receipt


def _check(_: str, value: object) -> None:
    if not hasattr(value, "add_documents") or not hasattr(value, "invoke"):
        raise OptionError(f"retriever must be a VectorStoreRetriever of LangChain, not {value!r}")


@strategy
class RetrieverMemory(BaseMemory):
    """Shows the documents that a retriever finds for the input. Each exchange becomes a document.

    If the retriever fails, the exchange is still stored, and its document is added at a later call.

    State: the id of each turn's document.
    """

    name = "langchain-retriever"
    needs_query = True
    _keeps_fields = True

    retriever: Annotated[Any, _check]
    """A `VectorStoreRetriever` of LangChain."""
    exclude_input_keys: Annotated[Sequence[str], names] = ()
    """The names of inputs to leave out of the documents."""

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Add the new exchanges to the retriever."""
        from langchain_core.documents import Document

        written = Documents(self.render.labels, {self.memory_key, *self.exclude_input_keys})
        turns = {turn: list(said) for turn, said in itertools.groupby(entries, attrgetter("turn_id"))}
        # A turn's document always has the same id, so a document added before a crash is not added twice.
        ids = {turn: f"{self.conversation_id}-{turn}" for turn in turns}
        found = [Document(page_content=written.text(said), id=ids[turn]) for turn, said in turns.items()]
        await either(self.retriever, "add_documents", found)
        return Changes(ids)

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Return the documents that the retriever finds."""
        return View(tuple(document.page_content for document in await self.documents(query or "")))

    async def documents(self, query: str) -> list[Any]:
        """Return the documents that the retriever finds, as LangChain's documents."""
        return list(await either(self.retriever, "invoke", self._redactor.text(query)))

    async def aclear(self) -> None:
        """Delete the conversation and its documents."""
        await self._let_go()
        await super().aclear()

    async def aforget(self, ids: Sequence[int] | set[int] | None, *, thorough: bool = False) -> Receipt:
        """Forget messages as `BaseMemory.aforget` does. The documents of the remaining messages are made again."""
        await self._let_go()
        return await super().aforget(ids, thorough=thorough)

    async def _let_go(self) -> None:
        ids, vectors = (await self._known_state()).items, getattr(self.retriever, "vectorstore", None)
        if ids and vectors is not None:
            await either(vectors, "delete", list(ids.values()))


@strategy
class Vectors(PlainVectors):
    """A memory that searches all inputs and outputs of a chain. Inputs named in `exclude_input_keys` are left out."""

    exclude_input_keys: Annotated[Sequence[str], names] = ()
    """The names of inputs to leave out of the documents."""

    @property
    def _hidden(self) -> Sequence[str]:
        return self.exclude_input_keys


class VectorStoreRetrieverMemory(LangChainMemory):
    """Shows the exchanges most relevant to the input, as documents.

    With the option `retriever`, a LangChain vector store keeps the documents. Without this option, memzoo finds the
    best `k` exchanges, 4 by default.
    """

    plain_class = Vectors
    extras: ClassVar[Mapping[str, Any]] = {"return_docs": False, "retriever": None}

    async def aload_memory_variables(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the relevant documents as a text; if `return_docs` is true, as LangChain's documents."""
        if not self.return_docs:
            return await super().aload_memory_variables(inputs)
        given = question(inputs, self.plain.input_key)
        if isinstance(self.plain, RetrieverMemory):
            key = input_key_of(given, self.plain.input_key, self.plain.memory_variables)
            return {self.plain.memory_key: await self.plain.documents(str(given[key]))}
        found = await self._make(return_messages=True).aload_memory_variables(given)
        return {name: documents(message["content"] for message in shown) for name, shown in found.items()}

    async def asave_context(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Save an exchange with all inputs and outputs. `input_key` names the input that is the user's message."""
        beside = {self.plain.memory_key, *self.exclude_input_keys, "stop"}
        asked = _record("user", values(inputs), self.plain.input_key, beside)
        answered = _record("assistant", values(outputs), self.plain.output_key or "output", ())
        await self.plain.aadd_messages([*asked, *answered])

    def check_keys(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Accept every exchange, because this memory saves all inputs and outputs."""

    def _make(self, **changed: Any) -> Any:
        if self.retriever is None:
            return super()._make(**{"k": self._given.get("k", 4), **changed})
        known = {field.name for field in dataclasses.fields(RetrieverMemory)}
        given = {name: value for name, value in {**self._given, **changed}.items() if name in known}
        return RetrieverMemory(**given)


def _record(role: str, given: Mapping[str, Any], key: str | None, beside: Collection[str]) -> list[Record]:
    """Return a list with the record of one side of an exchange, which has all given values; empty without values."""
    if not given:
        return []
    said = next((name for name in given if name not in beside), next(iter(given)))
    if key is not None and key in given:
        said = key
    fields = {name: None if name == said else str(value) for name, value in given.items()}
    try:
        return [Record(checked({"role": role, "content": given[said]}), fields)]
    except MessageError:  # LangChain converts any value to text
        return [Record({"role": role, "content": str(given[said])}, fields)]
