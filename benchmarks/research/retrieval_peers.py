"""Other retrievers to compare with memzoo's search.

All follow the same rule. The best results that fit the budget are shown, with dates and speakers. A result that does
not fit is skipped. Exchanges are found and shown whole.
"""

import functools
import importlib
import re
import sqlite3
import warnings
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.research.retrieving import Retriever
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.errors import MissingExtraError
from memzoo.memories.search.excerpt import evidence, fit_passages
from memzoo.memories.text.language import UNSPACED
from memzoo.strategy import Passage, text_of
from memzoo.sync import drive

Embed = Callable[[list[str]], Any]
"""A function that returns a row of numbers for each text."""


class Peer(Protocol):
    """The type of a function that makes a retriever for a conversation."""

    def __call__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> Retriever:
        """Return a retriever without exchanges, which has only the speakers' names from the transcript."""
        ...


_MOST_DOCUMENTS = 200
_WORD = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+")
_HAN = re.compile(f"[{UNSPACED}]")
_BATCH_END = re.compile(r"(?<=</message>)\n\n(?=<message )")


class _Ranked:
    """A retriever of a conversation's passages; subclasses rank the passages."""

    _apart = False

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = counter
        self._transcript = transcript
        self._passages: list[Passage] = []

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        self._passages += [*self._passages_of(exchange)]

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        return "\n".join(evidence(fit_passages(budget, self._rank(question), self._counter)))

    def _passages_of(self, exchange: Exchange) -> Iterable[Passage]:
        lines = _lines_of(self._transcript, exchange)
        if not self._apart:
            (speaker, text), *others = lines
            lines = [(speaker, "\n".join([text, *(f"{label}: {said}" for label, said in others)]))]
        for number, (speaker, text) in enumerate(lines, start=len(self._passages) + 1):
            yield Passage(number, speaker, text, exchange.said_at, begins=True)

    def _rank(self, question: Question) -> Iterable[Passage]:
        raise NotImplementedError


class _Newest(_Ranked):
    """A retriever of the newest exchanges."""

    def _rank(self, question: Question) -> Iterable[Passage]:
        return reversed(self._passages)


class _Oracle(_Ranked):
    """A retriever that shows the question's evidence itself, as an upper bound for every ranking."""

    _apart = True

    def _rank(self, question: Question) -> Iterable[Passage]:
        return [one for one in self._passages if any(text in one.text for text in question.evidence)]


class _PlainWords(_Ranked):
    """A retriever by BM25 over exchanges, with SQLite's FTS5 and its default settings."""

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        super().__init__(transcript, counter, embed)
        self._database = sqlite3.connect(":memory:")
        weakref.finalize(self, self._database.close)
        self._database.execute("CREATE VIRTUAL TABLE exchanges USING fts5(text)")

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        super().hear(exchange)
        new = self._passages[-1]
        row = (len(self._passages) - 1, " ".join(find_plain_words(f"{new.speaker}: {new.text}")))
        self._database.execute("INSERT INTO exchanges (rowid, text) VALUES (?, ?)", row)

    def _rank(self, question: Question) -> Iterable[Passage]:
        match = " OR ".join(f'"{word}"' for word in find_plain_words(question.text))
        rows = self._database.execute("SELECT rowid FROM exchanges WHERE exchanges MATCH ? ORDER BY rank", (match,))
        return [self._passages[place] for (place,) in rows]


class _LangChain:
    """`VectorStoreRetrieverMemory` of langchain-classic over langchain-core's `InMemoryVectorStore`.

    Each exchange is saved with its date as a separate input. The memory's documents are shown unchanged, the best
    first, as many as fit.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = functools.cache(counter)
        self._transcript = transcript
        self._memory = _langchain_memory(embed)

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        said = {self._transcript.assistant: ""}
        for label, text in _lines_of(self._transcript, exchange):
            said[label] = f"{said[label]}\n{text}" if said.get(label) else text
        outputs = {self._transcript.assistant: said.pop(self._transcript.assistant)}
        self._memory.save_context({"date": _day_of(exchange), **said}, outputs)

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        found = self._memory.load_memory_variables({"prompt": question.text})["history"]
        return _fill_budget([document.page_content for document in found], budget, self._counter)


class _LlamaIndex:
    """`VectorMemoryBlock` of llama-index-core over its `SimpleVectorStore`, extended to keep the texts.

    The block refuses a store without texts, and llama-index-core has only such stores, so a
    dictionary for texts is added. Each exchange is added as a batch, with its date before the first message. The
    batches are shown in the order of the block's text, the best first, as many as fit.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = functools.cache(counter)
        self._transcript = transcript
        self._message, self._block = _llamaindex_block(embed)

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        texts = [f"{label}: {text}" for label, text in _lines_of(self._transcript, exchange)]
        texts[0] = f"{_day_of(exchange)}\n{texts[0]}"
        roles = [str(one["role"]) for one in exchange.messages]
        drive(self._block.aput([self._message(text, role=role) for role, text in zip(roles, texts, strict=True)]))

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        found = drive(self._block.aget([self._message(question.text, role="user")]))
        return _fill_budget(_BATCH_END.split(found), budget, self._counter)


class _LangChainEmbeddings:
    """An embedding function with the methods that LangChain calls."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in self._embed(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def find_plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case; for Chinese or Japanese words, each pair of neighbouring characters."""
    words: list[str] = []
    for word in _WORD.findall(text.lower()):
        words += [word[place : place + 2] for place in range(max(len(word) - 1, 1))] if _HAN.match(word) else [word]
    return words


def _langchain_memory(embed: Embed) -> Any:
    memory = _library("langchain_classic.memory", "langchain-classic")
    store = _library("langchain_core.vectorstores", "langchain-core").InMemoryVectorStore(_LangChainEmbeddings(embed))
    retriever = store.as_retriever(search_kwargs={"k": _MOST_DOCUMENTS})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each new instance warns that the class will be removed
        return memory.VectorStoreRetrieverMemory(
            retriever=retriever, memory_key="history", input_key="prompt", return_docs=True
        )


def _llamaindex_block(embed: Embed) -> tuple[Any, Any]:
    """Return LlamaIndex's class of messages, and a new memory block over a store that keeps texts."""
    memory = _library("llama_index.core.memory", "llama-index-core")
    block = memory.VectorMemoryBlock(
        vector_store=_make_store(), embed_model=_llamaindex_embedding(embed), similarity_top_k=_MOST_DOCUMENTS
    )
    return _library("llama_index.core.llms", "llama-index-core").ChatMessage, block


def _make_store() -> Any:
    """Return a `SimpleVectorStore` of LlamaIndex that also keeps its nodes, and returns them with query results."""
    simple: Any = _library("llama_index.core.vector_stores", "llama-index-core").SimpleVectorStore

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
    """Return an embedding function as an embedding model of LlamaIndex."""
    base: Any = _library("llama_index.core.embeddings", "llama-index-core").BaseEmbedding

    class Embedding(base):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return [float(number) for number in embed([text])[0]]

        _get_query_embedding = _get_text_embedding

        async def _aget_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embedding(text)

        _aget_query_embedding = _aget_text_embedding

    return Embedding()


def _day_of(exchange: Exchange) -> str:
    """Return the day of an exchange, in the format of a search result."""
    return Passage(0, "", "", exchange.said_at, begins=True).date


def _lines_of(transcript: Transcript, exchange: Exchange) -> list[tuple[str, str]]:
    """Return the speaker and the text of each message of an exchange."""
    labels = {"user": transcript.user, "assistant": transcript.assistant}
    return [(labels.get(str(one["role"]), str(one["role"])), text_of(one)) for one in exchange.messages]


def _fill_budget(texts: Iterable[str], budget: int, tokens: Callable[[str], int]) -> str:
    """Return the texts that fit a budget, joined; a text that does not fit is skipped."""
    chosen: list[str] = []
    left = budget
    for text in texts:
        cost = tokens(f"{text}\n")
        if cost <= left:
            chosen.append(text)
            left -= cost
    # The tokens of the joined text can differ a little from the sum.
    while chosen and tokens("\n".join(chosen)) > budget:
        chosen.pop()
    return "\n".join(chosen)


def _library(module: str, package: str) -> Any:
    """Return a module of a library that is compared with memzoo.

    Raises:
        MissingExtraError: The package, or a package required by it, is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a library warns that it will be removed
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{package} is not installed with all it needs: {error}") from error


PEERS: dict[str, Peer] = {
    "last messages": _Newest,
    "BM25 over exchanges": _PlainWords,
    "langchain-classic": _LangChain,
    "LlamaIndex": _LlamaIndex,
    "oracle": _Oracle,
}
"""The other retrievers by name, each as a function of a conversation, a token counter and an embedding function."""
