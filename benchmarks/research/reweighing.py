"""One search weighed in many ways: each conversation is indexed once, and each question matched once."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.evidence import Texts, whole
from memzoo.benchmarks.research.retrieval_showing import Sessions, passages_of, walk_questions
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.memories.search.excerpt import Clipper, evidence, fit_passages
from memzoo.memories.search.passages import worth
from memzoo.memories.search.rows import Numbers
from memzoo.memories.search.weights import Weights
from memzoo.memories.search.word_index import WordIndex

if TYPE_CHECKING:
    from memzoo.strategy import Passage

__all__ = ["Search", "Shares", "reweigh"]


class Shares(NamedTuple):
    """What was shown for a question.

    Attributes:
        whole: The share of its evidence.
        sessions: The share of the sessions with evidence of which any message was shown.
    """

    whole: float
    sessions: float


def reweigh(
    transcripts: Iterable[Transcript], settings: Mapping[str, Weights], budgets: Sequence[int], counter: TextCounter
) -> dict[tuple[str, int], list[Shares]]:
    """Ask all questions with each of some weights, by words only.

    Returns:
        By the name of the weights and the budget: what was shown, in the order of the questions.
    """
    found: dict[tuple[str, int], list[Shares]] = {(name, budget): [] for name in settings for budget in budgets}
    for transcript in transcripts:
        search, sessions = Search(transcript, counter), Sessions(transcript)
        for question, said in walk_questions(transcript):
            search.hear(said)
            # Many weights show the same.
            shares = functools.cache(functools.partial(_shares, question, sessions))
            for name, weights in settings.items():
                ranked = search.rank(question.text, weights)
                for budget in budgets:
                    found[name, budget].append(shares(search.show(ranked, budget)))
    return found


def _shares(question: Question, sessions: Sessions, shown: str) -> Shares:
    texts = Texts([shown])
    return Shares(whole(question.evidence, texts), sessions.share(question, texts))


class Search:
    """Finds and shows as `VectorStoreRetrieverMemory` does without embeddings, with weights that may change.

    Args:
        transcript: The conversation.
        counter: Counts tokens.
    """

    def __init__(self, transcript: Transcript, counter: TextCounter) -> None:
        self._transcript = transcript
        self._tokens = functools.cache(counter)
        self._passages: list[Passage] = []
        self._index = _Index()
        self._clip = functools.cache(Clipper(self._index.analyser, "", self._tokens))
        self._query = ""

    def hear(self, exchanges: Iterable[Exchange]) -> None:
        """Take in what was said next."""
        for exchange in exchanges:
            self._passages += passages_of(self._transcript, exchange, len(self._passages), apart=True)
        self._index.add(self._passages)

    def rank(self, query: str, weights: Weights) -> list[int]:
        """Return the messages that fit a question, by number, the best first."""
        if query != self._query:
            self._query, self._clip = query, functools.cache(Clipper(self._index.analyser, query, self._tokens))
        self._index.weigh(weights)
        return list(self._index.scores(query))

    def show(self, ranked: Sequence[int], budget: int) -> str:
        """Return what fits the budget of messages that were found for the last question."""
        best = (self._passages[seq - 1] for seq in self._index.add_corrections(ranked, budget))
        return "\n".join(evidence(fit_passages(budget, best, self._tokens, self._clip)))


class _Index(WordIndex):
    """Matches a question once, in however many ways its messages are weighed."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[str, int] = ("", -1)
        self._matched: tuple[Numbers, Numbers, Numbers] | None = None

    def weigh(self, weights: Weights) -> None:
        self._weights = weights
        if self._text is not None:
            self._text = self._text._replace(worth=worth(self._rows, weights))

    def _matches(self, query: str) -> tuple[Numbers, Numbers, Numbers]:
        asked_of = query, len(self._rows)
        if self._matched is None or asked_of != self._last:
            self._last, self._matched = asked_of, super()._matches(query)
        return self._matched
