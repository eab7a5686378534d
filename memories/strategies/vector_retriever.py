"""Remember by searching: what fits the input, from anywhere in the conversation."""

import functools
import itertools
import logging
from collections.abc import Mapping, Sequence

from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.embedders import Embedder, EmbedderOption, as_embedder
from memzoo.memories.options import check, names, option, strategy
from memzoo.memories.search.bm25 import WordIndex
from memzoo.memories.search.documents import Documents
from memzoo.memories.search.excerpt import evidence, within
from memzoo.memories.search.vectors import VectorSearch
from memzoo.memories.text.view import View
from memzoo.stores import JSON, Entry, VectorIndex
from memzoo.stores.errors import ModelError, OptionError
from memzoo.stores.indexes.index import ExactIndex

__all__ = ["VectorStoreRetrieverMemory"]

logger = logging.getLogger("memzoo")


def _check_index(_: str, value: object) -> None:
    if not isinstance(value, VectorIndex):
        raise OptionError(f"index must be a VectorIndex, such as ChromaIndex(), not {value!r}")


@strategy
class VectorStoreRetrieverMemory(BaseMemory):
    """Shows what fits the input best, from anywhere in the conversation.

    Messages are found by their words, their date and the words around them (BM25), and by embeddings; the scores are
    added up. No model is asked, neither to save nor to load. With `k`, the best exchanges are shown as documents, best
    first: a line for each input and output, "key: value". With `max_token_limit`, the best messages are shown in the
    order in which they were said, with speakers and dates, as many as fit.

    Args:
        k: How many exchanges are shown.
        max_token_limit: Show as many of the best messages as fit so many tokens, instead of `k` exchanges.
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

    k: int = option(4, at_least=1, doc="How many exchanges are shown.")
    max_token_limit: int | None = option(None, at_least=1, doc="Show as many of the best messages as fit.")
    embedder: EmbedderOption = option(None, doc="...")
    index: VectorIndex = option(factory=ExactIndex, check=_check_index, doc="...")
    exclude_input_keys: Sequence[str] = option((), check=names, doc="Inputs that are left out of the documents.")

    def __post_init__(self) -> None:
        check(self)
        self._embedder: Embedder = as_embedder(self.embedder)
        self._vectors = VectorSearch(self.index, self.conversation_id, self.state_name)
        super().__post_init__()
        self._documents = Documents(self._renderer.labels, {self.memory_key, *self.exclude_input_keys})
        self._words = self._no_words()
        self._tokens = functools.cache(lambda text: self.counter({"role": "system", "content": text}))

    @property
    def state_name(self) -> str:
        """Embeddings of another embedder are another state."""
        return f"{self.name}/{self._embedder.name}"

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Embed the new messages."""
        passages = list(self._documents.passages(entries))
        if not passages:
            return Changes()
        vectors = await self._embed([f"{passage.speaker}: {passage.text}" for passage in passages], log, state)
        return Changes(embeddings={passage.seq: vector for passage, vector in zip(passages, vectors, strict=True)})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """The messages or exchanges that fit the query."""
        words = self._words  # A clear meanwhile puts another in its place.
        words.add(self._documents.passages(await log.after(words.passages.last)))
        scores = words.scores(query or "")
        for seq, similarity in await self._similar(log, state, query or ""):
            scores[seq] = scores.get(seq, 0.0) + self._embedder.weight * similarity
        ranked = sorted(sorted(scores), key=scores.__getitem__, reverse=True)  # the older first among equals
        found = filter(None, map(words.passages.numbered, ranked))
        if self.max_token_limit is not None:
            best = within(self.max_token_limit, found, self._tokens)
            return View(evidence(best), passages=tuple(best))
        firsts = list(dict.fromkeys(passage.document for passage in found))[: self.k]
        documents = list(map(words.passages.document, firsts))
        texts = [self._documents.text(await log.between(one[0].document, one[-1].seq)) for one in documents]
        return View(tuple(texts), passages=tuple(itertools.chain.from_iterable(documents)))

    async def on_state_change(self, changes: Mapping[str, JSON], *, reset: bool) -> None:
        """Forget all words, and let the index go of what the store deleted."""
        if reset:
            self._words = self._no_words()
            self._tokens.cache_clear()
            await self._vectors.repair(self.store)

    async def _similar(self, log: Log, state: State, query: str) -> list[tuple[int, float]]:
        """The messages nearest to the query, by log number, with their cosines."""
        try:
            (vector,) = await self._embed([query], log, state)
        except ModelError as error:
            logger.warning("searching by words alone: %s", error)
            return []
        await self._vectors.follow(self.store, state.epoch)
        return await self._vectors.search(vector)

    async def _embed(self, texts: list[str], log: Log, state: State) -> list[bytes]:
        embedded = await self._embedder.embed(texts)
        self.usage.add("embedding", embedded.spent)
        size, held = len(embedded.vectors[0]), await self._vectors.size(self.store, state)
        if held not in (None, size):
            # Together with the others it could not be searched, and they could not either.
            raise ModelError(
                f"embedder {self._embedder.name!r} gave {size // 4} numbers for a text, but {held // 4} for others of "
                f"{self.conversation_id!r}: use the model that made those, or give this one another name"
            )
        return embedded.vectors

    def _no_words(self) -> WordIndex:
        return WordIndex({self.human_prefix, self.ai_prefix} - {"Human", "AI"})
