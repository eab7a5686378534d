"""Runs one strategy through one conversation, as a chatbot would, and asks it the questions at the end."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.fitting import fit
from memzoo.benchmarks.measure.words import answer_found, recall
from memzoo.benchmarks.scenarios import Scenario, asks_model
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange, Question, Transcript
from memzoo.memories import BaseMemory, Model, Spent, Usage, create_memory
from memzoo.memories.text.messages import text_of
from memzoo.stores import InMemoryStore, Message
from memzoo.stores.errors import ModelError

__all__ = ["Measurement", "Probe", "Shown", "Step", "measure", "steps_in"]

Shown: TypeAlias = tuple[tuple[str, str], ...]
"""The messages that the model would have seen, as (role, text), in order."""

_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One exchange: what was shown before it, and what loading and saving took.

    Attributes:
        tokens: What was shown, in tokens, after the cut at the budget.
        load: Model calls made to load the memory.
        save: Model calls made to save the exchange.
        load_seconds: Time that loading took, model calls included.
        save_seconds: Time that saving took, model calls included.
    """

    tokens: int
    load: Spent
    save: Spent
    load_seconds: float
    save_seconds: float


@dataclass(frozen=True, slots=True)
class Probe:
    """One question, asked at the end of the conversation.

    Attributes:
        recall: The share of its evidence that was shown.
        answer_found: Whether all content words of its answer were shown; `None` if it has none.
        tokens: What was shown, in tokens, after the cut at the budget.
        shown: What was shown.
    """

    recall: float
    answer_found: bool | None
    tokens: int
    shown: Shown


@dataclass(frozen=True, slots=True)
class Measurement:
    """One strategy in one conversation.

    Attributes:
        steps: One for each exchange, in order.
        probes: One for each of `Transcript.measured`, in order.
        asking: Model calls made to load the memory for the questions.
        failures: How often a save failed at the model and was made up for by a later one.
    """

    steps: tuple[Step, ...]
    probes: tuple[Probe, ...]
    asking: Spent
    failures: int = 0


def measure(
    transcript: Transcript,
    scenario: Scenario,
    *,
    model: Model,
    budget: int,
    counter: TextCounter,
    timer: Callable[[], float] = time.perf_counter,
    progress: Callable[[int], None] | None = None,
) -> Measurement:
    """Run a strategy through a conversation, with a fresh memory and a fresh store.

    A save that fails at the model is counted, and the memory catches up at the next; the third failure in a row ends
    the run.

    Args:
        transcript: The conversation and its questions.
        scenario: The strategy and its options.
        model: Answers for strategies that need a model.
        budget: Tokens that may be shown; also handed to strategies that have a limit of their own.
        counter: Counts the tokens of what is shown.
        timer: Gives seconds.
        progress: Called after each exchange and each question with 1.

    Raises:
        ModelError: The model failed for good.
    """
    run = _Run(transcript, scenario, model, budget, counter, timer)
    advance: Callable[[int], None] = progress or (lambda _: None)
    steps: list[Step] = []
    for number, exchange in enumerate(transcript.exchanges, start=1):
        steps.append(run.step(number, exchange))
        advance(1)
    before = run.usage.total
    probes: list[Probe] = []
    for question in transcript.measured:
        probes.append(run.probe(question))
        advance(1)
    return Measurement(tuple(steps), tuple(probes), _spent_since(before, run.usage), run.failures)


def steps_in(transcript: Transcript) -> int:
    """Count the steps of progress that `measure` reports for a conversation."""
    return len(transcript.exchanges) + len(transcript.measured)


@dataclass
class _Run:
    """A memory on its way through a conversation."""

    transcript: Transcript
    scenario: Scenario
    model: Model
    budget: int
    counter: TextCounter
    timer: Callable[[], float]

    def __post_init__(self) -> None:
        self.failures = 0
        self._failed = 0
        self._now = UNDATED
        self._seen: dict[Shown, Shown] = {}
        self._memory = self._fresh()
        self.usage = self._memory.usage if self._memory else Usage()

    def step(self, number: int, exchange: Exchange) -> Step:
        """Load the memory for the user's words, then save the exchange."""
        self._now = exchange.date or self._now
        usage, start = self.usage.total, self.timer()
        view = self._view(exchange.user_text)
        loaded = self.timer()
        load = _spent_since(usage, self.usage)
        tokens = self.counter.of_messages(self._cut(view))
        usage, saving = self.usage.total, self.timer()
        self._save(exchange, f"exchange-{number}")
        saved = self.timer()
        return Step(tokens, load, _spent_since(usage, self.usage), loaded - start, saved - saving)

    def probe(self, question: Question) -> Probe:
        """Load the memory for a question, and look for its evidence and its answer."""
        view = self._cut(self._view(question.text))
        shown: Shown = tuple((message["role"], text_of(message)) for message in view)
        # Most strategies show the same for many questions; stored once, it takes little space.
        shown = self._seen.setdefault(shown, shown)
        text = "\n".join(text for _, text in shown)
        found = answer_found(question.answer, text)
        return Probe(recall(question.evidence, text), found, self.counter.of_messages(view), shown)

    def _view(self, query: str | None) -> list[Message]:
        return [] if self._memory is None else self._memory.messages(query)

    def _cut(self, view: list[Message]) -> list[Message]:
        return fit(view, self.budget, self.counter) if self.scenario.cut else view

    def _save(self, exchange: Exchange, turn_id: str) -> None:
        try:
            if self._memory is not None:
                self._memory.add_messages(exchange.messages, turn_id=turn_id)
        except ModelError:
            self.failures += 1
            self._failed += 1
            if self._failed == _FAILURES_IN_A_ROW:
                raise
        else:
            self._failed = 0

    def _fresh(self) -> BaseMemory | None:
        if self.scenario.strategy is None:
            return None
        options: dict[str, Any] = {**self.scenario.options(self.budget)}
        if asks_model(self.scenario):
            options["llm"] = self.model
        return create_memory(
            self.scenario.strategy,
            conversation_id=self.scenario.name,
            # The store's clock follows the conversation: what is said long ago must look old to the memory.
            store=InMemoryStore(clock=lambda: self._now),
            human_prefix=self.transcript.user,
            ai_prefix=self.transcript.assistant,
            token_counter=self.counter.of_message,
            **options,
        )


def _spent_since(before: Spent, usage: Usage) -> Spent:
    now = usage.total
    return Spent(
        now.calls - before.calls,
        now.prompt_tokens - before.prompt_tokens,
        now.completion_tokens - before.completion_tokens,
        now.seconds - before.seconds,
    )
