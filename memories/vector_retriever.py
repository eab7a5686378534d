"""Remember by searching: the exchanges that fit the input, from anywhere in the conversation."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memzoo.memories.base import BaseMemory
from memzoo.memories.embedders import Embedder, EmbedderOption, as_embedder
from memzoo.memories.log import Log
from memzoo.memories.messages import quoted, text_of
from memzoo.memories.options import whole_number
from memzoo.memories.search import VectorSearch, fused
from memzoo.memories.state import Changes, State
from memzoo.memories.view import View
from memzoo.memories.words import Document, WordIndex
from memzoo.stores import JSON, Entry, VectorIndex
from memzoo.stores.errors import ModelError
from memzoo.stores.index import ExactIndex

__all__ = ["VectorStoreRetrieverMemory"]

logger = logging.getLogger("memzoo")

_CANDIDATES = 200


@dataclass(kw_only=True, eq=False)
class VectorStoreRetrieverMemory(BaseMemory):
    """Shows the exchanges that fit the input best, best first, from anywhere in the conversation.

    Each saved exchange is a document: a line for each input and output, "key: value". Documents are found by words
    (BM25) and by embeddings; the two rankings are fused. No model is asked, neither to save nor to load.

    Args:
        k: How many documents are shown.
        max_token_limit: Show as many of the best documents as fit so many tokens, instead of `k`.
        embedder: An `OpenAIEmbedder`, any function from texts to vectors (Chroma's embedding functions are such),
            or `None` for one that needs neither download nor key.
        index: Searches the embeddings: an exact index in memory by default, or a `ChromaIndex`.
        exclude_input_keys: Inputs that are left out of the documents.
        **common: See `BaseMemory`.

    Example:
        >>> memory = VectorStoreRetrieverMemory(k=1)
        >>> memory.save_context({"input": "My favorite food is pizza"}, {"output": "good to know"})
        >>> memory.save_context({"input": "I dislike football"}, {"output": "fair enough"})
        >>> print(memory.load_memory_variables({"prompt": "what food do I like?"})["history"])
        input: My favorite food is pizza
        output: good to know
    """

    name = "vector-retriever"
    needs_query = True
    keeps_fields = True

    k: int = 4
    max_token_limit: int | None = None
    embedder: EmbedderOption = None
    index: VectorIndex = field(default_factory=ExactIndex)
    exclude_input_keys: Sequence[str] = ()

    def __post_init__(self) -> None:
        whole_number("k", self.k, at_least=1)
        if self.max_token_limit is not None:
            whole_number("max_token_limit", self.max_token_limit, at_least=1)
        self._embedder: Embedder = as_embedder(self.embedder)
        self._words = WordIndex()
        self._vectors = VectorSearch(self.index, self.conversation_id, self.state_name)
        super().__post_init__()

    @property
    def state_name(self) -> str:
        """Embeddings of another embedder are another state."""
        return f"{self.name}/{self._embedder.name}"

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Embed the new documents."""
        documents = list(self._documents(entries))
        vectors = await self._embed([document.text for document in documents])
        return Changes(embeddings={document.first: vector for document, vector in zip(documents, vectors, strict=True)})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The documents that fit the query."""
        self._words.add(self._documents(await log.after(self._words.last)))
        by_words = self._words.search(query or "", _CANDIDATES)
        by_vector = await self._by_vector(log, state, query or "")
        best = fused([(by_words, 1.0), (by_vector, self._embedder.weight)])
        found = filter(None, map(self._words.document, best))
        return View(tuple(self._fitting(document.text for document in found)))

    def learn(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Forget the words of a conversation that was cleared."""
        if reset:
            self._words = WordIndex()

    async def aclear(self) -> None:
        """Delete the conversation, in the index too."""
        await super().aclear()
        await self._vectors.clear()

    async def _by_vector(self, log: Log, state: State, query: str) -> list[int]:
        try:
            (vector,) = await self._embed([query])
        except ModelError as error:
            logger.warning("searching by words alone: %s", error)
            return []
        await self._vectors.follow(log.store, state.epoch)
        return await self._vectors.search(vector, _CANDIDATES)

    async def _embed(self, texts: list[str]) -> list[bytes]:
        embedded = await self._embedder.embed(texts)
        self.usage.add("embedding", embedded.spent)
        return embedded.vectors

    def _fitting(self, texts: Iterable[str]) -> list[str]:
        if self.max_token_limit is None:
            return [text for text, _ in zip(texts, range(self.k), strict=False)]
        chosen, left = list[str](), self.max_token_limit
        for text in texts:
            cost = self.counter({"role": "system", "content": f"{text}\n"})
            if cost <= left:
                chosen.append(text)
                left -= cost
        return chosen

    def _documents(self, entries: Sequence[Entry]) -> Iterable[Document]:
        """Entries as documents: a new one begins with each turn and with each user message."""
        started: list[Entry] = []
        for entry in entries:
            if started and (entry.turn_id != started[0].turn_id or entry.message["role"] == "user"):
                yield self._document(started)
                started = []
            started.append(entry)
        if started:
            yield self._document(started)

    def _document(self, entries: Sequence[Entry]) -> Document:
        return Document(entries[0].seq, entries[-1].seq, "\n".join(self._lines(entries)))

    def _lines(self, entries: Sequence[Entry]) -> Iterable[str]:
        labels = self.labels.names.union(*(entry.fields for entry in entries))
        for entry in entries:
            if not entry.fields:
                yield self.render([entry.message])
            for name, value in entry.fields.items():
                if name not in (self.memory_key, *self.exclude_input_keys):
                    yield f"{name}: {quoted(text_of(entry.message) if value is None else value, labels)}"
