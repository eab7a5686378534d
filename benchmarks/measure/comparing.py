"""Runs strategies through conversations and puts them side by side."""

import functools
import importlib
import logging
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.benchmarks.measure.measuring import Measurement, Probe, Step, measure, steps_in
from memzoo.benchmarks.scenarios import Scenario, asks_model, chosen
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.memories import ChatModel, Model, Spent
from memzoo.memories.models.chat import ModelOption, as_model
from memzoo.stores.driving import drive
from memzoo.stores.errors import MemoryZooError, OptionError

__all__ = ["OFFLINE", "Comparison", "Cost", "Prices", "Progress", "Row", "Score", "compare", "total_steps"]

Prices: TypeAlias = tuple[float, float]
"""Of a million tokens: input, output."""

Progress: TypeAlias = Callable[[str, int], None]
"""Called with a scenario's name and how many exchanges and questions were done since the last call."""

logger = logging.getLogger("memzoo")

OFFLINE = "offline"
"""The name of the built-in model, which is rules and not a language model."""

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Score:
    """How much a strategy remembers.

    Attributes:
        questions: How many were asked.
        recall: The mean share of evidence shown; `None` without questions.
        complete: The share of questions with all evidence shown; `None` without questions.
        answers: The share of answers whose content words were all shown; `None` if no answer has any.
        tokens: The mean of what was shown for a question, in tokens; `None` without questions.
    """

    questions: int
    recall: float | None
    complete: float | None
    answers: float | None
    tokens: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a strategy costs, in the currency of the prices.

    Attributes:
        upkeep: Model calls to load and to save.
        reading: What was shown, read by the model that answers: one view for each exchange.
    """

    upkeep: float
    reading: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.upkeep + self.reading


@dataclass(frozen=True, slots=True)
class Row:
    """One strategy in all conversations.

    Attributes:
        scenario: The strategy and its options.
        measurements: One for each conversation, in order; empty if there was an error.
        error: Why there is no result; "" if there is one.
    """

    scenario: Scenario
    measurements: tuple[Measurement, ...] = ()
    error: str = ""

    @property
    def steps(self) -> list[Step]:
        """The exchanges of all conversations."""
        return [step for one in self.measurements for step in one.steps]

    @property
    def probes(self) -> list[Probe]:
        """The questions of all conversations."""
        return [probe for one in self.measurements for probe in one.probes]

    @property
    def score(self) -> Score:
        """How much it remembers: the mean over all questions."""
        return score_of(self.probes)

    @property
    def tokens(self) -> float:
        """What is shown, in tokens: the mean over all exchanges."""
        return _mean(step.tokens for step in self.steps) or 0.0

    @property
    def tokens_at_end(self) -> float:
        """What is shown at the last exchange, in tokens: the mean over the conversations."""
        return _mean(one.steps[-1].tokens for one in self.measurements) or 0.0

    @property
    def load(self) -> Spent:
        """Model calls made to load, for all exchanges."""
        return sum((step.load for step in self.steps), Spent())

    @property
    def save(self) -> Spent:
        """Model calls made to save, for all exchanges."""
        return sum((step.save for step in self.steps), Spent())

    @property
    def asking(self) -> Spent:
        """Model calls made to load for the questions; they are no part of the upkeep."""
        return sum((one.asking for one in self.measurements), Spent())

    @property
    def upkeep(self) -> Spent:
        """All model calls of the exchanges."""
        return self.load + self.save

    @property
    def seconds(self) -> tuple[float, float]:
        """Mean time to load and to save an exchange."""
        return (
            _mean(step.load_seconds for step in self.steps) or 0.0,
            _mean(step.save_seconds for step in self.steps) or 0.0,
        )

    @property
    def failures(self) -> int:
        """Saves that failed at the model and were made up for."""
        return sum(one.failures for one in self.measurements)

    def per_exchange(self, amount: float) -> float:
        """An amount divided by the number of exchanges."""
        return amount / max(len(self.steps), 1)

    def cost(self, prices: Prices) -> Cost:
        """What all exchanges cost."""
        price_in, price_out = (price / _MILLION for price in prices)
        upkeep = self.upkeep.prompt_tokens * price_in + self.upkeep.completion_tokens * price_out
        return Cost(upkeep, sum(step.tokens for step in self.steps) * price_in)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Strategies side by side.

    Attributes:
        transcripts: The conversations.
        rows: One for each strategy, framed by the baselines, in the order of the table.
        model: The name of the model that answered.
        counter: The name of the token counter.
        budget: In tokens.
        prices: Of a million tokens: input, output; `None` if no cost is to be shown.
    """

    transcripts: tuple[Transcript, ...]
    rows: tuple[Row, ...]
    model: str
    counter: str
    budget: int
    prices: Prices | None = None

    @property
    def completed(self) -> list[Row]:
        """The rows that have a result."""
        return [row for row in self.rows if not row.error]

    @property
    def categories(self) -> list[str]:
        """The categories of the questions that were asked, sorted."""
        return sorted(self.asked)

    @property
    def asked(self) -> Counter[str]:
        """How many questions were asked, by category."""
        return Counter(question.category for one in self.transcripts for question in one.measured)

    @property
    def best(self) -> list[Row]:
        """The strategies with the highest recall, baselines left out; none if nothing was recalled."""
        rows = [row for row in self.completed if not row.scenario.baseline and row.score.recall]
        return [row for row in rows if row.score.recall == max(row.score.recall or 0 for row in rows)]

    def by_category(self, row: Row) -> dict[str, Score]:
        """How much a strategy remembers, by category."""
        asked = [question.category for one in self.transcripts for question in one.measured]
        pairs = list(zip(asked, row.probes, strict=True))
        return {name: score_of([probe for category, probe in pairs if category == name]) for name in self.categories}


def compare(
    transcripts: Sequence[Transcript],
    names: Iterable[str],
    *,
    model: ModelOption,
    budget: int,
    counter: TextCounter,
    prices: Prices | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run strategies through conversations, one after the other.

    A strategy that fails, with its model or otherwise, has its error in its row; the others go on.

    Args:
        transcripts: The conversations, at least one.
        names: Short names or class names of strategies; none at all stands for all. The baselines come by themselves.
        model: Answers for strategies that need a model: a `ChatModel`, a model's name, `"offline"`, or a callable.
        budget: Tokens that may be shown.
        counter: Counts the tokens of what is shown.
        prices: Of a million tokens: input, output.
        progress: Called on the way.

    Raises:
        OptionError: There is no conversation, the budget is below 1, or a strategy is unknown.

    Example:
        >>> from memzoo.benchmarks import TextCounter, compare, sample_transcripts
        >>> words = TextCounter("words", lambda text: len(text.split()))
        >>> found = compare(sample_transcripts(), ["window"], model="offline", budget=300, counter=words)
        >>> [(row.scenario.name, round(row.score.recall, 2)) for row in found.rows]
        [('none', 0.0), ('window', 0.05), ('everything', 1.0)]
    """
    if not transcripts or budget < 1:
        raise OptionError(
            f"there must be a transcript and a budget of at least 1 token, not {len(transcripts)}, {budget}"
        )
    answering = as_model(model)
    scenarios = chosen(names)
    if any(map(asks_model, scenarios)):
        _warm_up(answering)

    def measured(scenario: Scenario, transcript: Transcript) -> Measurement:
        advance = functools.partial(progress, scenario.name) if progress else None
        return measure(transcript, scenario, model=answering, budget=budget, counter=counter, progress=advance)

    rows = tuple(_row(scenario, transcripts, measured) for scenario in scenarios)
    return Comparison(tuple(transcripts), rows, answering.name, counter.name, budget, prices)


def _warm_up(model: Model) -> None:
    """Load what the first call would load, so that its time counts against no strategy; no tokens are spent."""
    if isinstance(model, ChatModel):
        importlib.import_module("openai")
        if model.name == OFFLINE:
            drive(model.complete([{"role": "user", "content": "hello"}], "warm-up"))


def _row(
    scenario: Scenario, transcripts: Iterable[Transcript], measured: Callable[[Scenario, Transcript], Measurement]
) -> Row:
    try:
        return Row(scenario, tuple(measured(scenario, transcript) for transcript in transcripts))
    except Exception as error:  # what was measured before may have cost hours and money
        foreseen = isinstance(error, MemoryZooError)
        logger.warning("%s could not be measured: %s", scenario.name, error, exc_info=None if foreseen else error)
        return Row(scenario, error=f"{type(error).__name__}: {error}")


def total_steps(transcripts: Iterable[Transcript]) -> int:
    """Count the steps of progress that a strategy takes through all conversations."""
    return sum(map(steps_in, transcripts))


def score_of(probes: Sequence[Probe]) -> Score:
    """Compute the means over some questions."""
    return Score(
        len(probes),
        _mean(probe.recall for probe in probes),
        _mean(probe.recall == 1 for probe in probes),
        _mean(probe.answer_found for probe in probes if probe.answer_found is not None),
        _mean(probe.tokens for probe in probes),
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return statistics.fmean(listed) if listed else None
