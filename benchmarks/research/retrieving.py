"""Evidence recall at budgets of tokens: what a search shows for the questions of a conversation."""

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeAlias

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.evidence import Texts, measure_coverage, whole
from memzoo.benchmarks.research.retrieval_showing import Retriever, Sessions, walk_questions
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange, Question, Transcript
from memzoo.errors import MemoryZooError
from memzoo.memories import Embedder, VectorStoreRetrieverMemory
from memzoo.memories.search.weights import Weights
from memzoo.memories.text.tokens import TokenCounterOption
from memzoo.stores import InMemoryStore

__all__ = [
    "ABLATIONS",
    "FedMemory",
    "Figures",
    "Found",
    "Make",
    "OverBudgetError",
    "by_budget",
    "by_category",
    "figures",
    "find",
    "memory_maker",
]

Make: TypeAlias = Callable[[Transcript, TextCounter], Retriever]
"""Makes what takes in a conversation, exchange by exchange, and can be asked."""


class OverBudgetError(MemoryZooError, ValueError):
    """More was shown than the budget allows: its recall would be worth nothing."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was shown for one question at one budget.

    Attributes:
        title: The conversation.
        question: What was asked.
        category: The kind of question.
        budget: Tokens that might be shown.
        recall: The share of its evidence that was shown.
        tokens: Tokens that were shown.
        seconds: CPU time of this process for the search.
        missed: The texts of its evidence that were not shown.
        calls: How often embeddings were asked for to search.
        save_seconds: CPU time of this process to save an exchange of the conversation, mean.
        save_calls: How often embeddings were asked for to save an exchange, mean.
        covered: As `recall`, with long messages of which half was shown.
        sessions: The share of the sessions with evidence of which any message was shown.
    """

    title: str
    question: str
    category: str
    budget: int
    recall: float
    tokens: int
    seconds: float
    missed: tuple[str, ...] = ()
    calls: int = 0
    save_seconds: float = 0.0
    save_calls: float = 0.0
    covered: float = 0.0
    sessions: float = 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over questions.

    Attributes:
        questions: How many.
        recall: The mean share of evidence shown.
        complete: The share of questions with all of their evidence shown.
        tokens: Tokens shown.
        milliseconds: CPU time of this process for a search.
        calls: How often embeddings were asked for to search.
        save_milliseconds: CPU time of this process to save an exchange.
        save_calls: How often embeddings were asked for to save an exchange.
        covered: The mean share of evidence shown, long messages by half.
        sessions: The mean share of sessions with evidence of which anything was shown.
    """

    questions: int
    recall: float
    complete: float
    tokens: float
    milliseconds: float
    calls: float
    save_milliseconds: float
    save_calls: float
    covered: float
    sessions: float


def find(
    make: Make,
    transcripts: Iterable[Transcript],
    budgets: Sequence[int],
    counter: TextCounter,
    *,
    timer: Callable[[], float] = time.process_time,
    calls: Callable[[], int] = lambda: 0,
) -> list[Found]:
    """Ask all questions of all conversations at each budget.

    Args:
        make: Makes what is asked.
        transcripts: The conversations.
        budgets: Tokens that may be shown.
        counter: Counts them.
        timer: Tells the time in seconds.
        calls: Tells how often embeddings were asked for so far.

    Raises:
        OverBudgetError: More was shown than a budget allows.
    """
    found: list[Found] = []
    for transcript in transcripts:
        retriever, sessions = make(transcript, counter), Sessions(transcript)
        heard, saving = 0, (0.0, 0.0)
        for question, said in walk_questions(transcript):
            if said:
                before, start = calls(), timer()
                for exchange in said:
                    retriever.hear(exchange)
                saving = (saving[0] + timer() - start, saving[1] + calls() - before)
                heard += len(said)
            # The first search of a question may still take in what was said last: that is no part of a search.
            retriever.show(question, budgets[0])
            for budget in budgets:
                before, start = calls(), timer()
                shown = retriever.show(question, budget)
                seconds, called = timer() - start, calls() - before
                tokens = _count_within(shown, budget, counter, question.text)
                texts = Texts([shown])
                share = whole(question.evidence, texts)
                missed = tuple(text for text in question.evidence if text not in texts)
                found.append(
                    Found(
                        title=transcript.title,
                        question=question.text,
                        category=question.category,
                        budget=budget,
                        recall=share,
                        tokens=tokens,
                        seconds=seconds,
                        missed=missed,
                        calls=called,
                        save_seconds=saving[0] / max(heard, 1),
                        save_calls=saving[1] / max(heard, 1),
                        covered=measure_coverage(question.evidence, texts),
                        sessions=sessions.share(question, texts),
                    )
                )
    return found


def figures(found: Sequence[Found]) -> Figures:
    """The means over what was found."""
    return Figures(
        len(found),
        fmean(one.recall for one in found),
        fmean(one.recall == 1 for one in found),
        fmean(one.tokens for one in found),
        1000 * fmean(one.seconds for one in found),
        fmean(one.calls for one in found),
        1000 * fmean(one.save_seconds for one in found),
        fmean(one.save_calls for one in found),
        fmean(one.covered for one in found),
        fmean(one.sessions for one in found),
    )


def by_category(found: Iterable[Found]) -> dict[str, list[Found]]:
    """What was found, by the kind of question, in the order of the alphabet."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.category, []).append(one)
    return dict(sorted(groups.items()))


def by_budget(found: Iterable[Found]) -> dict[int, list[Found]]:
    """What was found, by the budget, the smallest first."""
    groups: dict[int, list[Found]] = {}
    for one in found:
        groups.setdefault(one.budget, []).append(one)
    return dict(sorted(groups.items()))


def memory_maker(embedder: Embedder | None, weights: Weights | None = None) -> Make:
    """Makes `VectorStoreRetrieverMemory` with an embedder."""
    kind = functools.partial(_make_weighed(weights or Weights()), embedder=embedder, max_token_limit=1)
    return lambda transcript, counter: FedMemory(transcript, counter.of_message, kind)


class FedMemory:
    """A memory that is told a conversation, in a store whose clock is the conversation's.

    Args:
        transcript: The conversation.
        counter: Counts tokens, as memories are given one.
        make: Makes the memory, which has a `max_token_limit`.
    """

    def __init__(self, transcript: Transcript, counter: TokenCounterOption, make: Callable[..., Any]) -> None:
        self._now = now = [UNDATED]
        self._memory = make(
            store=InMemoryStore(clock=lambda: now[0]),
            clock=lambda: now[0].timestamp(),  # noqa: PLW0108 - another date each time
            conversation_id="research",
            human_prefix=transcript.user,
            ai_prefix=transcript.assistant,
            token_counter=counter,
            recalled_role="system",  # a text has no frame, which would count
        )
        self._limited: dict[int, Any] = {}

    def hear(self, exchange: Exchange) -> None:
        """See `Retriever.hear`."""
        self._now[0] = exchange.said_at
        self._memory.add_messages(exchange.records)

    def show(self, question: Question, budget: int) -> str:
        """See `Retriever.show`."""
        # Each keeps its index, to which it adds what was said since.
        memory = self._limited.setdefault(budget, self._memory.clone(max_token_limit=budget))
        shown: str = memory.load_memory_variables({"input": question.text})["history"]
        return shown


def _count_within(shown: str, budget: int, counter: TextCounter, question: str) -> int:
    tokens = counter(shown)
    if tokens > budget:
        raise OverBudgetError(f"{tokens} tokens were shown at a budget of {budget} for {question!r}")
    return tokens


def _make_weighed(chosen: Weights) -> type[VectorStoreRetrieverMemory]:
    class Weighed(VectorStoreRetrieverMemory):
        weights = chosen

    return Weighed


ABLATIONS: Mapping[str, Weights] = {
    "nothing": Weights(),
    "the message's own words": Weights(own=0),
    "the words around it": Weights(around=0),
    "the words of its segment": Weights(segment=0),
    "the date's words": Weights(dates=False),
    "the speaker's bonus": Weights(speaker=0),
    "what a message is worth by itself": Weights(telling=0, asking=0),
    "all words": Weights(own=0, around=0, segment=0),
    "embeddings": Weights(embeddings=0),
}
"""Each part of the search by name, with the weights that leave it out."""
