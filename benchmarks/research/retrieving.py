"""Evidence recall at budgets of tokens: what a search shows for the questions of a conversation."""

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.evidence import Texts, whole
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange, Question, Transcript
from memzoo.errors import MemoryZooError
from memzoo.memories import Embedder, VectorStoreRetrieverMemory
from memzoo.memories.text.tokens import TokenCounterOption
from memzoo.stores import InMemoryStore

__all__ = ["FedMemory", "Found", "Make", "OverBudgetError", "Retriever", "find", "memory_maker"]


class Retriever(Protocol):
    """Whatever takes in a conversation, and shows what fits a question."""

    def hear(self, exchange: Exchange) -> None:
        """Take in the next exchange."""
        ...

    def show(self, question: Question, budget: int) -> str:
        """What the model would be shown, of at most so many tokens."""
        ...


Make: TypeAlias = Callable[[Transcript, TextCounter], Retriever]
"""Makes what takes in a conversation, exchange by exchange, and can be asked."""


class OverBudgetError(MemoryZooError, ValueError):
    """More was shown than the budget allows: its recall would be worth nothing."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was shown for one question at one budget.

    Attributes:
        category: The kind of question.
        budget: Tokens that might be shown.
        recall: The share of its evidence that was shown.
        tokens: Tokens that were shown.
        seconds: CPU time of this process for the search.
        calls: How often embeddings were asked for to search.
        save_seconds: CPU time of this process to save an exchange of the conversation, mean.
        save_calls: How often embeddings were asked for to save an exchange, mean.
    """

    category: str
    budget: int
    recall: float
    tokens: int
    seconds: float
    calls: int = 0
    save_seconds: float = 0.0
    save_calls: float = 0.0


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
        retriever = make(transcript, counter)
        heard, saving = 0, (0.0, 0.0)
        for question in transcript.measured:
            until = len(transcript.exchanges) if question.asked_after is None else question.asked_after
            if said := transcript.exchanges[heard:until]:
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
                if (tokens := counter(shown)) > budget:
                    raise OverBudgetError(f"{tokens} tokens were shown at a budget of {budget} for {question.text!r}")
                found.append(
                    Found(
                        category=question.category,
                        budget=budget,
                        recall=whole(question.evidence, Texts([shown])),
                        tokens=tokens,
                        seconds=seconds,
                        calls=called,
                        save_seconds=saving[0] / max(heard, 1),
                        save_calls=saving[1] / max(heard, 1),
                    )
                )
    return found


def memory_maker(embedder: Embedder | None) -> Make:
    """Makes `VectorStoreRetrieverMemory` with an embedder."""
    kind = functools.partial(VectorStoreRetrieverMemory, embedder=embedder, max_token_limit=1)
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
