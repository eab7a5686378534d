"""Memories of other libraries that find messages for a question, run as they are."""

import functools
import re
import warnings
from typing import Any

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.research.packaged import library
from memzoo.benchmarks.research.retrieval_showing import Embed, day_of, fill_budget, lines_of
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.sync import drive

__all__ = ["LangChain", "LlamaIndex"]

_MOST_DOCUMENTS = 200
_BATCH_END = re.compile(r"(?<=</message>)\n\n(?=<message )")


class LangChain:
    """`VectorStoreRetrieverMemory` of langchain-classic over langchain-core's `InMemoryVectorStore`.

    Each exchange is saved with its date as an input of its own; its documents are shown as it returns them, the best
    first, as many as fit.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = functools.cache(counter)
        self._transcript = transcript
        self._memory = _langchain_memory(embed)

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""
        said = {self._transcript.assistant: ""}
        for label, text in lines_of(self._transcript, exchange):
            said[label] = f"{said[label]}\n{text}" if said.get(label) else text
        outputs = {self._transcript.assistant: said.pop(self._transcript.assistant)}
        self._memory.save_context({"date": day_of(exchange), **said}, outputs)

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        found = self._memory.load_memory_variables({"prompt": question.text})["history"]
        return fill_budget([document.page_content for document in found], budget, self._counter)


class LlamaIndex:
    """`VectorMemoryBlock` of llama-index-core over its own `SimpleVectorStore`, which here keeps the texts too.

    The block refuses a store that keeps no texts, and llama-index-core has no other: `_make_store` adds a dictionary.
    Each exchange is put in as a batch of its own, its date before the first message; what comes back is the block's
    text, a batch after the other, the best first, as many as fit.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = functools.cache(counter)
        self._transcript = transcript
        self._message, self._block = _llamaindex_block(embed)

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""
        texts = [f"{label}: {text}" for label, text in lines_of(self._transcript, exchange)]
        texts[0] = f"{day_of(exchange)}\n{texts[0]}"
        roles = [str(one["role"]) for one in exchange.messages]
        drive(self._block.aput([self._message(text, role=role) for role, text in zip(roles, texts, strict=True)]))

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        found = drive(self._block.aget([self._message(question.text, role="user")]))
        return fill_budget(_BATCH_END.split(found), budget, self._counter)


class _LangChainEmbeddings:
    """A function that embeds, with the methods that LangChain calls."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in self._embed(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def _langchain_memory(embed: Embed) -> Any:
    memory = library("langchain_classic.memory", "langchain-classic")
    store = library("langchain_core.vectorstores", "langchain-core").InMemoryVectorStore(_LangChainEmbeddings(embed))
    retriever = store.as_retriever(search_kwargs={"k": _MOST_DOCUMENTS})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its removal each time that one is made
        return memory.VectorStoreRetrieverMemory(
            retriever=retriever, memory_key="history", input_key="prompt", return_docs=True
        )


def _llamaindex_block(embed: Embed) -> tuple[Any, Any]:
    """LlamaIndex's class of messages, and its block over a store that keeps texts."""
    memory = library("llama_index.core.memory", "llama-index-core")
    block = memory.VectorMemoryBlock(
        vector_store=_make_store(), embed_model=_llamaindex_embedding(embed), similarity_top_k=_MOST_DOCUMENTS
    )
    return library("llama_index.core.llms", "llama-index-core").ChatMessage, block


def _make_store() -> Any:
    """LlamaIndex's `SimpleVectorStore`, and beside it what was put in, to be given back with what it finds."""
    simple: Any = library("llama_index.core.vector_stores", "llama-index-core").SimpleVectorStore

    class Keeping(simple):  # type: ignore[misc]
        stores_text: bool = True

        def __init__(self) -> None:
            super().__init__()
            self._nodes: dict[str, Any] = {}

        def add(self, nodes: list[Any], **options: Any) -> list[str]:
            self._nodes.update({node.node_id: node for node in nodes})
            return list(super().add(nodes, **options))

        def query(self, query: Any, **options: Any) -> Any:
            result = super().query(query, **options)
            result.nodes = [self._nodes[key] for key in result.ids]
            return result

    return Keeping()


def _llamaindex_embedding(embed: Embed) -> Any:
    """A function that embeds, as an embedding model of LlamaIndex."""
    base: Any = library("llama_index.core.embeddings", "llama-index-core").BaseEmbedding

    class Embedding(base):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return [float(number) for number in embed([text])[0]]

        _get_query_embedding = _get_text_embedding

        async def _aget_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embedding(text)

        _aget_query_embedding = _aget_text_embedding

    return Embedding()
