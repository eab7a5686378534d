"""Others that find messages for a question, under the same rule: the best first, as many as fit the budget.

All of them show dates and speakers and pay for them, and pass over what does not fit for what comes next, as
`memzoo.memories.evidence.within` does. What was saved as one exchange is found and shown as one.
"""

import importlib
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from memzoo.benchmarks.conversations import Exchange, Question, Transcript
from memzoo.benchmarks.counting import TextCounter
from memzoo.memories.evidence import evidence, within
from memzoo.memories.messages import text_of
from memzoo.memories.passages import Passage
from memzoo.stores.errors import MissingExtraError

__all__ = ["PEERS", "Embed", "Retriever", "dated", "passages_of"]

Embed = Callable[[list[str]], Any]
"""Texts -> a row of numbers for each."""

_MOST_DOCUMENTS = 200


class Retriever(Protocol):
    """Whatever shows what fits a question."""

    def show(self, question: Question, budget: int) -> str:
        """What the model would be shown, of at most so many tokens."""
        ...


class _Peer(Protocol):
    """Makes a retriever that has taken in a conversation."""

    def __call__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> Retriever: ...


class _Ranked:
    """Shows the best of a conversation's passages; how they are ranked is for subclasses to say."""

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = counter
        self._passages = passages_of(transcript)

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        return "\n".join(evidence(within(budget, self._ranked(question), self._counter)))

    def _ranked(self, question: Question) -> Iterable[Passage]:
        raise NotImplementedError


class _Newest(_Ranked):
    """The last exchanges."""

    def _ranked(self, question: Question) -> Iterable[Passage]:
        return reversed(self._passages)


class _Oracle(_Ranked):
    """The messages that the answer rests on, found by looking them up: no ranking can do better."""

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        super().__init__(transcript, counter, embed)
        self._passages = passages_of(transcript, apart=True)

    def _ranked(self, question: Question) -> Iterable[Passage]:
        return [one for one in self._passages if any(text in one.text for text in question.evidence)]


class _PlainWords(_Ranked):
    """BM25 over exchanges, by SQLite's FTS5 as it comes."""

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        super().__init__(transcript, counter, embed)
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE exchanges USING fts5(text)")
        texts = [(place, f"{one.speaker}: {one.text}") for place, one in enumerate(self._passages)]
        self._database.executemany("INSERT INTO exchanges (rowid, text) VALUES (?, ?)", texts)

    def _ranked(self, question: Question) -> Iterable[Passage]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
        rows = self._database.execute("SELECT rowid FROM exchanges WHERE exchanges MATCH ? ORDER BY rank", (match,))
        return [self._passages[place] for (place,) in rows]


class _LangChain:
    """`VectorStoreRetrieverMemory` of langchain-classic over langchain-core's `InMemoryVectorStore`.

    Each exchange is saved with its date as an input of its own; its documents are shown as it returns them, the best
    first, as many as fit.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = counter
        self._memory = _langchain_memory(embed)
        for exchange in transcript.exchanges:
            said = {transcript.assistant: ""}
            for label, text in _lines(transcript, exchange):
                said[label] = f"{said[label]}\n{text}" if said.get(label) else text
            outputs = {transcript.assistant: said.pop(transcript.assistant)}
            self._memory.save_context({"date": dated(exchange), **said}, outputs)

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        found = self._memory.load_memory_variables({"prompt": question.text})["history"]
        return _filled([document.page_content for document in found], budget, self._counter)


PEERS: dict[str, _Peer] = {
    "last messages": _Newest,
    "BM25 over exchanges": _PlainWords,
    "langchain-classic": _LangChain,
    "oracle": _Oracle,
}
"""The others by name, each made from a conversation, a counter of tokens and a function that embeds."""


def passages_of(transcript: Transcript, *, apart: bool = False) -> list[Passage]:
    """The exchanges of a conversation as passages, or each message `apart`."""
    passages: list[Passage] = []
    for exchange in transcript.exchanges:
        lines = _lines(transcript, exchange)
        if not apart:
            (speaker, text), *others = lines
            lines = [(speaker, "\n".join([text, *(f"{label}: {said}" for label, said in others)]))]
        for speaker, text in lines:
            number = len(passages) + 1
            passages.append(Passage(number, speaker, text, exchange.said_at, number))
    return passages


def dated(exchange: Exchange) -> str:
    """The day of an exchange, as evidence shows it."""
    return Passage(0, "", "", exchange.said_at, 0).date


def _lines(transcript: Transcript, exchange: Exchange) -> list[tuple[str, str]]:
    """The messages of an exchange as speaker and text."""
    labels = {"user": transcript.user, "assistant": transcript.assistant}
    return [(labels.get(str(one["role"]), str(one["role"])), text_of(one)) for one in exchange.messages]


def _filled(texts: Sequence[str], budget: int, counter: TextCounter) -> str:
    """The first texts that fit; one that does not is passed over."""
    shown = ""
    for text in texts:
        longer = f"{shown}\n{text}" if shown else text
        if counter(longer) <= budget:
            shown = longer
    return shown


class _LangChainEmbeddings:
    """A function that embeds, with the methods that LangChain calls."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(number) for number in row] for row in self._embed(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def _langchain_memory(embed: Embed) -> Any:
    try:
        memory = importlib.import_module("langchain_classic.memory")
        stores = importlib.import_module("langchain_core.vectorstores")
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"langchain-classic is not installed: there is no {error.name}") from error
    store = stores.InMemoryVectorStore(_LangChainEmbeddings(embed))
    retriever = store.as_retriever(search_kwargs={"k": _MOST_DOCUMENTS})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its removal each time that one is made
        return memory.VectorStoreRetrieverMemory(
            retriever=retriever, memory_key="history", input_key="prompt", return_docs=True
        )
