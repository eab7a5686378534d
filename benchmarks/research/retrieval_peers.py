"""Others that find messages for a question, under the same rule: the best first, as many as fit the budget.

All of them show dates and speakers and pay for them, and pass over what does not fit for what comes next, as
`memzoo.memories.search.excerpt.fit_passages` does. What was saved as one exchange is found and shown as one.
"""

import re
import sqlite3
import weakref
from collections.abc import Iterable

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.research.retrieval_libraries import LangChain, LlamaIndex
from memzoo.benchmarks.research.retrieval_showing import Embed, Peer, passages_of
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.memories.search.excerpt import evidence, fit_passages
from memzoo.strategy import Passage

__all__ = ["PEERS"]


class _Ranked:
    """Shows the best of a conversation's passages; how they are ranked is for subclasses to say."""

    _apart = False

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        self._counter = counter
        self._transcript = transcript
        self._passages: list[Passage] = []

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""
        self._passages += passages_of(self._transcript, exchange, len(self._passages), apart=self._apart)

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        return "\n".join(evidence(fit_passages(budget, self._rank(question), self._counter)))

    def _rank(self, question: Question) -> Iterable[Passage]:
        raise NotImplementedError


class _Newest(_Ranked):
    """The last exchanges."""

    def _rank(self, question: Question) -> Iterable[Passage]:
        return reversed(self._passages)


class _Oracle(_Ranked):
    """The messages that the answer rests on, found by looking them up: no ranking can do better."""

    _apart = True

    def _rank(self, question: Question) -> Iterable[Passage]:
        return [one for one in self._passages if any(text in one.text for text in question.evidence)]


class _PlainWords(_Ranked):
    """BM25 over exchanges, by SQLite's FTS5 as it comes."""

    def __init__(self, transcript: Transcript, counter: TextCounter, embed: Embed) -> None:
        super().__init__(transcript, counter, embed)
        self._database = sqlite3.connect(":memory:")
        weakref.finalize(self, self._database.close)
        self._database.execute("CREATE VIRTUAL TABLE exchanges USING fts5(text)")

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""
        super().hear(exchange)
        new = self._passages[-1]
        row = (len(self._passages) - 1, f"{new.speaker}: {new.text}")
        self._database.execute("INSERT INTO exchanges (rowid, text) VALUES (?, ?)", row)

    def _rank(self, question: Question) -> Iterable[Passage]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
        rows = self._database.execute("SELECT rowid FROM exchanges WHERE exchanges MATCH ? ORDER BY rank", (match,))
        return [self._passages[place] for (place,) in rows]


PEERS: dict[str, Peer] = {
    "last messages": _Newest,
    "BM25 over exchanges": _PlainWords,
    "langchain-classic": LangChain,
    "LlamaIndex": LlamaIndex,
    "oracle": _Oracle,
}
"""The others by name, each made from a conversation, a counter of tokens and a function that embeds."""
