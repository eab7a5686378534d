"""Measures the share of evidence that a search shows for questions, within budgets of tokens."""

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


class Retriever(Protocol):
    """A search over a conversation. It gets the exchanges one by one, and returns a text for each question."""

    def hear(self, exchange: Exchange) -> None:
        """Add the next exchange."""
        ...

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show to the model for a question, with at most `budget` tokens."""
        ...


Make: TypeAlias = Callable[[Transcript, TextCounter], Retriever]
"""A function that makes the retriever for a conversation; the retriever has no exchanges yet."""


class OverBudgetError(MemoryZooError, ValueError):
    """A retriever showed more tokens than the budget allows, so its recall cannot be compared."""


@dataclass(frozen=True, slots=True)
class Found:
    """The measurements of one question at one budget.

    Attributes:
        recall: The share of the question's evidence that was shown.
        calls: The number of embedding calls in the search.
        save_seconds: The mean CPU time to save an exchange, over the exchanges before the question.
        save_calls: The mean number of embedding calls to save an exchange, over the same exchanges.
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
    """Measure a retriever for all questions of all conversations, at each budget.

    `make` returns a new retriever for a conversation. `calls` returns the number of embedding calls so far.

    Raises:
        OverBudgetError: A retriever showed more tokens than a budget allows.
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
            # Not measured: the first search may also add the newest exchanges to the index.
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
    """Return a function that makes a `VectorStoreRetrieverMemory` with a given embedder."""
    kind = functools.partial(VectorStoreRetrieverMemory, embedder=embedder, max_token_limit=1)
    return lambda transcript, counter: FedMemory(transcript, counter.of_message, kind)


class FedMemory:
    """A memory used as a retriever. The memory's clock follows the dates of the conversation.

    `make` is a function that makes the memory. The memory must have the option `max_token_limit`.
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
            recalled_role="system",  # as system messages, texts have no frame, whose tokens would count
        )
        self._limited: dict[int, Any] = {}

    def hear(self, exchange: Exchange) -> None:
        """Save the conversation's next exchange in the memory."""
        self._now[0] = exchange.said_at
        self._memory.add_messages(exchange.records)

    def show(self, question: Question, budget: int) -> str:
        """Return the text to show for a question, within a budget of tokens."""
        # One clone for each budget, which keeps its index and adds only new messages.
        memory = self._limited.setdefault(budget, self._memory.clone(max_token_limit=budget))
        shown: str = memory.load_memory_variables({"input": question.text})["history"]
        return shown
