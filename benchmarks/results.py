"""The shape of what a comparison finds: `results.json`, which tables and reports are made of.

It is the same for the same inputs, whatever was interrupted and however many processes worked at it; times are kept
apart. What it is gathered from is in `outcomes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from memzoo.benchmarks.measure.caching import CACHES, CacheRule
from memzoo.benchmarks.measure.statistics import Interval, Pair
from memzoo.benchmarks.outcomes import Scored, Shape, Sum, Survived

__all__ = [
    "OFFLINE",
    "UNREAD",
    "Category",
    "Compared",
    "Cost",
    "Figures",
    "Interval",
    "MemoryInfo",
    "Pair",
    "QuestionInfo",
    "QuestionResult",
    "Results",
    "Row",
    "Run",
    "Talk",
    "Talks",
]

OFFLINE = "offline"
"""The name of the built-in model, which is rules and not a language model."""


class MemoryInfo(Shape):
    """A memory that was compared.

    Attributes:
        name: Its name in tables, unique.
        about: What it shows, in a few words.
        strategy: The strategy's short name; "" for a baseline or a memory made by a function.
        options: The strategy's own options, as they were given; a budget stands for itself as "budget".
        model: The model that it asks; "" if it asks none.
        baseline: Whether it frames the table instead of competing.
        floor: Whether its quality is a lower bound, because rules answered in place of a model.
        learnt_by: Who answered its prompts beforehand, if that comes with the conversation; else "".
    """

    name: str
    about: str = ""
    strategy: str = ""
    options: Mapping[str, Any] = Field(default_factory=dict)
    model: str = ""
    baseline: bool = False
    floor: bool = False
    learnt_by: str = ""


class Category(Shape):
    """The figures of the questions of one kind."""

    questions: int
    covered: Interval | None
    whole: Interval | None
    answers: Interval | None


class Figures(Shape):
    """One memory within one budget, over all conversations.

    Attributes:
        questions: How many were asked.
        covered: The mean share of evidence that was covered; `None` without evidence.
        whole: The mean share of evidence that stood whole.
        complete: The share of questions with all of their evidence covered.
        answers: The share of answers that what was shown says.
        judged: The share of the model's answers that a judge took for right.
        agreement: How often judge and words agree, of the questions that both can tell.
        corrected: Of corrections, the share that was shown.
        stale: Of corrections, the share of which the old statement was shown alone.
        tokens: What was shown at an exchange, mean, in tokens.
        tokens_at_end: The same at the last exchange of a conversation.
        tokens_for_a_question: The same for a question; `None` without questions.
        sent: The tokens of a request at an exchange, mean: what stands before the memory, what it shows, the user's
            words.
        cached: The share of these that the provider has in its cache.
        paid: What such a request costs, in tokens at the full price.
        course: As in `AtBudget`, for the longest conversation.
        survived: What was shown of marked lines, over all conversations.
        categories: The figures by kind of question.
    """

    questions: int
    covered: Interval | None = None
    whole: Interval | None = None
    complete: Interval | None = None
    answers: Interval | None = None
    judged: Interval | None = None
    agreement: float | None = None
    corrected: Interval | None = None
    stale: Interval | None = None
    tokens: float
    tokens_at_end: float
    tokens_for_a_question: float | None = None
    sent: float | None = None
    cached: float | None = None
    paid: float | None = None
    course: tuple[tuple[int, int], ...] = ()
    survived: tuple[Survived, ...] = ()
    categories: Mapping[str, Category] = Field(default_factory=dict)

    def survival(self) -> list[tuple[int, float]]:
        """The share of marked lines that was shown so many exchanges after they were said."""
        ages = sorted({one.after for one in self.survived if one.after is not None})
        return [(age, _share_shown([one for one in self.survived if one.after == age])) for age in ages]

    def survival_at_end(self, kind: str) -> float | None:
        """The share of the marked lines of a kind that is shown at the end; `None` if there are none."""
        found = [one for one in self.survived if one.after is None and one.kind == kind]
        return _share_shown(found) if found else None


def _share_shown(found: Sequence[Survived]) -> float:
    return sum(one.shown for one in found) / sum(one.of for one in found)


class Cost(Shape):
    """What 1,000 exchanges cost, in the currency of the prices.

    Attributes:
        upkeep: Model calls and embeddings to load and to save.
        reading: What is sent at each exchange to the model that answers, with the provider's cache.
        month: Both for the user's own number of exchanges a month; `None` if it was not given.
    """

    upkeep: float
    reading: float
    month: float | None = None

    @property
    def total(self) -> float:
        """Both together, for 1,000 exchanges."""
        return self.upkeep + self.reading


class Row(Shape):
    """One memory, over all conversations.

    Attributes:
        memory: Which one.
        exchanges: How many were saved.
        load: Model calls to load, all together.
        save: Model calls to save, all together.
        asking: Model calls to load for the questions.
        judging: Model calls to answer and to judge.
        embedding: Of `load` and `save`: the calls for embeddings.
        failed: The share of saves that failed at the model.
        failure: What the model's last failure was; "" if there was none.
        error: Why there is no result; "" if there is one.
        budgets: By budget in tokens; empty if there was an error.
        costs: By budget in tokens; empty if there are no prices.
    """

    memory: MemoryInfo
    exchanges: int = 0
    load: Sum = Sum()
    save: Sum = Sum()
    asking: Sum = Sum()
    judging: Sum = Sum()
    embedding: Sum = Sum()
    failed: float = 0.0
    failure: str = ""
    error: str = ""
    budgets: Mapping[int, Figures] = Field(default_factory=dict)
    costs: Mapping[int, Cost] = Field(default_factory=dict)

    @property
    def upkeep(self) -> Sum:
        """All model calls of the exchanges."""
        return self.load + self.save

    @property
    def upkeep_tokens(self) -> float:
        """The tokens of these calls for an exchange, mean."""
        return self.per_exchange(self.upkeep.tokens)

    def figure(self, name: str, budget: int) -> Interval | None:
        """Return a figure by name, such as "covered"; `None` if it was not measured."""
        found: Interval | None = getattr(self.budgets.get(budget), name, None)
        return found

    def per_exchange(self, amount: float) -> float:
        """Divide an amount by the number of exchanges."""
        return amount / max(self.exchanges, 1)


class Talk(Shape):
    """A conversation that was compared on."""

    title: str
    exchanges: int
    messages: int
    questions: int


class Talks(Shape):
    """The conversations that were compared on.

    Attributes:
        count: How many.
        exchanges: In all of them.
        messages: In all of them.
        questions: That were asked.
        adversarial: Not asked, because they have no true answer.
        without_evidence: Not asked, because nothing is known to measure them by.
        drafted: How many of those that were asked rules had drafted.
        unread: Whether the rules that stand in for a model found no name in them, so that notes and facts by these
            rules say nothing.
        unusable: Citations that name no message, the first 100.
        first: The first 100 of them.
    """

    count: int
    exchanges: int
    messages: int
    questions: int
    adversarial: int = 0
    without_evidence: int = 0
    drafted: int = 0
    unread: bool = False
    unusable: tuple[str, ...] = ()
    first: tuple[Talk, ...] = ()


UNREAD = frozenset({"entity", "knowledge-graph"})
"""The strategies that remember nothing where no name is found."""


class QuestionInfo(Shape):
    """A question that was asked.

    Attributes:
        transcript: The number of the conversation, from 0.
        text: The question.
        answer: The right answer; "" if it is not known.
        category: Its kind.
        evidence: The texts that the answer rests on.
        stale: The texts that are no longer true.
    """

    transcript: int
    text: str
    answer: str = ""
    category: str = ""
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class QuestionResult(Shape):
    """A question, and what each memory showed for it: by name of the memory, then by budget."""

    question: QuestionInfo
    memories: dict[str, dict[int, Scored]]


class Run(Shape):
    """How it was measured.

    Attributes:
        memzoo: The version.
        model: The model of the memories that name none of their own.
        judge: The judge's name; "" if there was none.
        counter: What counted the tokens.
        budgets: In tokens, ascending.
        currency: Of the prices.
        prices: Of a million tokens by model: input, output; empty if there are none.
        per_month: The user's own number of exchanges; `None` if it was not given.
        offline: Rules answered in place of a model.
        cache: What the provider keeps of a request, and at what price.
        system_tokens: So many stand before the memory in each request.
        paid: What a request may cost, in paid tokens: for each of these the verdict says who shows the most.
    """

    memzoo: str
    model: str
    judge: str = ""
    counter: str
    budgets: tuple[int, ...]
    currency: str = ""
    prices: Mapping[str, tuple[float, float]] = Field(default_factory=dict)
    per_month: int | None = None
    offline: bool = False
    cache: CacheRule = CACHES["none"]
    system_tokens: int = 0
    paid: tuple[int, ...] = ()


class Results(Shape):
    """All that a comparison found; `results.json`.

    Attributes:
        format: The version of this shape.
        run: How it was measured.
        talks: The conversations.
        rows: One for each memory, framed by the baselines, in the order of the table.
        pairs: The best of each budget beside each of the others.
        verdict: What to pick, in sentences.
        questions: Each with what the memories showed; the first 2,000.
    """

    format: Literal[2] = 2
    run: Run
    talks: Talks
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...] = ()
    verdict: tuple[str, ...] = ()
    questions: tuple[QuestionResult, ...] = ()

    @property
    def competing(self) -> list[Row]:
        """The rows that have a result, without the baselines."""
        return [row for row in self.rows if not row.error and not row.memory.baseline]

    @property
    def main_budget(self) -> int:
        """The budget that is spoken of where only one can be: 1,000 if it was measured, else the largest."""
        return 1000 if 1000 in self.run.budgets else self.run.budgets[-1]  # noqa: PLR2004 - the default budget

    @property
    def kept_kinds(self) -> list[str]:
        """The kinds of lines that the transcripts mark, in the order in which they were found; none as a rule."""
        figures = (found for row in self.rows for found in row.budgets.values())
        return list(dict.fromkeys(one.kind for found in figures for one in found.survived))

    @property
    def failed(self) -> list[Row]:
        """The rows that have no result, or a model that failed on the way."""
        return [row for row in self.rows if row.error or row.failed]


@dataclass(frozen=True)
class Compared:
    """What a comparison found, with what is not the same in each run.

    Attributes:
        results: All that was found; the same for the same inputs.
        times: By name of the memory: milliseconds to load and to save an exchange, model calls included.
        ended: Why it ended before everything was measured; "" if it did not.
    """

    results: Results
    times: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    ended: str = ""

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each memory, framed by the baselines, in the order of the table."""
        return self.results.rows

    @property
    def verdict(self) -> str:
        """What to pick, in sentences."""
        return "\n".join(self.results.verdict)
