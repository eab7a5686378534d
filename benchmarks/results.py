"""The results of a comparison, as in `results.json`: the source of all tables and reports.

Equal inputs give equal results. Times differ from run to run, so they are kept separately, in `Compared`.
"""

import functools
import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from memzoo.benchmarks.measure.caching import CACHES, CacheRule
from memzoo.benchmarks.measure.statistics import Interval, Pair
from memzoo.benchmarks.outcomes import Scored, Shape, Sum, Survived
from memzoo.benchmarks.variants import Variant

OFFLINE = "offline"
"""The name of the built-in model, which follows rules and is not a language model."""

TOLERATED = 0.1
"""The share of saves that may fail at the model before a memory takes no part in the verdict."""


def main_budget(budgets: Sequence[int]) -> int:
    """Return the budget for which a memory is picked, out of several, ascending: 1,000, otherwise the largest."""
    return 1000 if 1000 in budgets else budgets[-1]  # noqa: PLR2004 - the default budget


_SOME_MODEL = "gpt-4o-mini"  # the model to write into the code of a memory with a recorded state


class MemoryInfo(Shape):
    """A memory in a comparison.

    Attributes:
        name: The memory's unique name in tables.
        about: A short description of the memory's views.
        strategy: The strategy's short name; "" for a baseline or a memory made by a function.
        options: The strategy's own options. The value "budget" is replaced by the budget in tokens.
        prompts: The folder of the memory's own templates; "" without such a folder.
        model: The model for the memory's prompts; "" without a model.
        baseline: True for the rows "none" and "everything", which are measured but never picked.
        floor: True if the figures are lower bounds, because rules replaced the model.
        learnt_by: The model that wrote the memory's recorded state; "" without one.
    """

    name: str
    about: str = ""
    strategy: str = ""
    options: Mapping[str, Any] = Field(default_factory=dict)
    prompts: str = ""
    model: str = ""
    baseline: bool = False
    floor: bool = False
    learnt_by: str = ""

    def code(self, budget: int) -> str:
        """Return the line of Python that creates this memory for a budget; "" if the memory has no strategy.

        Example:
            >>> MemoryInfo(name="short", strategy="window", options={"k": 2}).code(1000)
            'create_memory("window", k=2)  # cut to the budget by memory.messages(question, max_tokens=1000)'
            >>> MemoryInfo(name="search", strategy="vector-retriever", options={"max_token_limit": "budget"}).code(1000)
            'create_memory("vector-retriever", max_token_limit=1000)'
        """
        if not self.strategy:
            return ""
        variant = Variant(self.name, strategy=self.strategy, options=self.options, prompts=self.prompts or None)
        options = variant.given(budget, _SOME_MODEL if self.learnt_by else self.model)
        written = [f"{name}={_write_value(value)}" for name, value in options.items()]
        made = f"create_memory({', '.join([_write_value(self.strategy), *written])})"
        cut = variant.options_at(budget) == self.options
        return f"{made}  # cut to the budget by memory.messages(question, max_tokens={budget})" if cut else made


def _write_value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


class Category(Shape):
    """The figures of one memory for the questions of one kind."""

    questions: int
    covered: Interval | None
    whole: Interval | None
    answers: Interval | None


class Figures(Shape):
    """The figures of one memory within one budget, over all conversations.

    Attributes:
        questions: The number of questions asked.
        covered: The mean share of evidence shown; a long text counts as shown if half of it is shown. `None` without
            evidence.
        whole: The mean share of evidence shown word for word.
        complete: The share of questions whose evidence is fully covered.
        answers: The share of questions whose answer is in the view.
        judged: The share of the model's answers that a judge marked as right.
        behind: The largest distance by which another memory may be better, with 95% certainty (see `most_behind`);
            `None` for a memory that does not compete.
        agreement: The share of questions on which two measures agree: the judge's mark, and whether the answer is in
            the view.
        corrected: The share of corrections that were shown.
        stale: The share of corrections for which only the old statement was shown.
        tokens: The mean number of tokens shown at an exchange.
        tokens_at_end: The mean number of tokens shown at the last exchange of a conversation.
        tokens_for_a_question: The mean number of tokens shown for a question; `None` without questions.
        sent: The mean number of tokens in a request: system tokens, the view, and the user's message.
        cached: The share of the sent tokens that the provider has in its cache.
        paid: The mean cost of a request, in tokens at full price; a cached token counts as a fraction of a token.
        course: Pairs from the longest conversation: the number of an exchange, and the tokens shown at it.
        survival: The share of all marked lines that are shown at the end of their conversation.
        survived: How often marked lines were still shown, by kind of line and age in exchanges.
        relearnt: Like `survived`, but after the memory has learnt the conversation anew; empty if it has not.
        unwanted: How often unwanted statements were shown, by kind.
        stated: The first 100 unwanted statements shown, with their kinds.
        marked_talks: The number of conversations with marked lines.
        lost_talks: The number of conversations that have marked lines, but end with none of them shown.
        categories: A dict from a kind of question to its figures.
        upkeep: The model calls of all loads and saves, without embeddings.
        embedding: The embedding calls while loading and saving.
    """

    questions: int
    covered: Interval | None = None
    whole: Interval | None = None
    complete: Interval | None = None
    answers: Interval | None = None
    judged: Interval | None = None
    behind: float | None = None
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
    survival: Interval | None = None
    survived: tuple[Survived, ...] = ()
    relearnt: tuple[Survived, ...] = ()
    unwanted: tuple[Survived, ...] = ()
    stated: tuple[str, ...] = ()
    marked_talks: int = 0
    lost_talks: int = 0
    categories: Mapping[str, Category] = Field(default_factory=dict)
    upkeep: Sum = Sum()
    embedding: Sum = Sum()

    @property
    def is_counted(self) -> bool:
        """True if the model reported the tokens of the calls for upkeep, or if there was no call."""
        return not self.upkeep.calls or self.upkeep.prompt_tokens > 0

    def survival_by_age(self) -> list[tuple[int, float]]:
        """Return the share of marked lines still shown at each age in exchanges, as sorted (age, share) pairs."""
        ages = sorted({one.after for one in self.survived if one.after is not None})
        sums = [(age, total([one for one in self.survived if one.after == age])) for age in ages]
        return [(age, found.shown / found.of) for age, found in sums if found]

    def at_end(self, kind: str | None = None) -> Survived | None:
        """Return two counts of marked lines at the end of their conversations: those shown, and all.

        Without marked lines, return `None`.

        Args:
            kind: The kind of the lines, such as "name"; `None` for all kinds together.
        """
        return total([one for one in self.survived if one.after is None and kind in (None, one.kind)])


def total(found: Sequence[Survived]) -> Survived | None:
    """Return the sum of several counts; `None` without counts."""
    return functools.reduce(operator.add, found) if found else None


class Cost(Shape):
    """The cost of 1,000 exchanges, in the currency of the prices.

    Attributes:
        upkeep: The cost of model calls and embeddings to load and to save.
        reading: The cost of the requests to the answering model, reduced by the provider's cache.
    """

    upkeep: float
    reading: float

    @property
    def total(self) -> float:
        """The cost of upkeep and reading together, for 1,000 exchanges."""
        return self.upkeep + self.reading


class Row(Shape):
    """The results of one memory, over all conversations.

    Attributes:
        exchanges: The number of exchanges saved.
        load: The model calls to load the memory before each exchange, without embeddings. These and the next ones but
            `judging` are of the run for `Results.main_budget`, if the memory has a run for each budget.
        save: The model calls to save exchanges, without embeddings.
        asking: The model calls to load the memory for questions.
        judging: The model calls to answer the questions and to judge the answers, of all runs.
        embedding: The embedding calls while loading and saving.
        settled: The model calls of `settle` when there is nothing left to learn; the right number is 0.
        relearning: The model calls to learn the conversation anew.
        failed: The share of saves that failed because of the model.
        failure: The model's last failure; "" if there was none.
        error: The error that prevented a result; "" if there was none.
        budgets: A dict from budget in tokens to figures; empty if there was an error.
        costs: A dict from budget in tokens to costs; empty without prices.
    """

    memory: MemoryInfo
    exchanges: int = 0
    load: Sum = Sum()
    save: Sum = Sum()
    asking: Sum = Sum()
    judging: Sum = Sum()
    embedding: Sum = Sum()
    settled: Sum = Sum()
    relearning: Sum = Sum()
    failed: float = 0.0
    failure: str = ""
    error: str = ""
    budgets: Mapping[int, Figures] = Field(default_factory=dict)
    costs: Mapping[int, Cost] = Field(default_factory=dict)

    @property
    def upkeep(self) -> Sum:
        """The model calls of all loads and saves, without embeddings, of the run for the main budget."""
        return self.load + self.save

    def upkeep_tokens(self, budget: int) -> float:
        """The mean number of tokens per exchange in the model calls for upkeep, within a budget."""
        return self.per_exchange(self.budgets[budget].upkeep.tokens)

    def figure(self, name: str, budget: int) -> Interval | None:
        """Return a named figure, such as "covered", within a budget; `None` if it was not measured."""
        found: Interval | None = getattr(self.budgets.get(budget), name, None)
        return found

    def per_exchange(self, amount: float) -> float:
        """Return an amount divided by the number of exchanges saved."""
        return amount / max(self.exchanges, 1)


class TalkInfo(Shape):
    """A conversation of the comparison."""

    title: str
    exchanges: int
    messages: int
    questions: int


class Talks(Shape):
    """The totals over all conversations of the comparison.

    Attributes:
        questions: The number of questions asked.
        adversarial: The number of questions not asked because nothing in the conversation answers them.
        without_evidence: The number of questions not asked because they name no evidence.
        drafted: The number of asked questions that rules drafted.
        unread: True if the offline model found no name in any conversation. Memories that keep notes or facts about
            names then learn nothing.
        unusable: The first 100 ids that questions cite, but that belong to no message.
        first: The first 100 conversations.
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
    first: tuple[TalkInfo, ...] = ()


UNREAD = frozenset({"entity", "knowledge-graph"})
"""The strategies that remember nothing if their model finds no name."""


class QuestionInfo(Shape):
    """A question of the comparison.

    Attributes:
        transcript: The number of the conversation, from 0.
        answer: The right answer; "" if unknown.
        category: The kind of the question.
        evidence: The texts of the messages that contain the answer.
        stale: The texts of the messages that the evidence corrects.
    """

    transcript: int
    text: str
    answer: str = ""
    category: str = ""
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class QuestionResult(Shape):
    """A question with the scores of each memory at each budget."""

    question: QuestionInfo
    memories: dict[str, dict[int, Scored]]


class Run(Shape):
    """The settings of a comparison.

    Attributes:
        memzoo: The version of memzoo.
        model: The model for memories that have no model of their own.
        judge: The judge's name; "" without a judge.
        counter: The name of the token counter.
        budgets: The budgets in tokens, ascending.
        prices: A dict from model to its prices per million tokens, (input, output); empty without prices.
        offline: True if rules replaced the model.
        cache: The rule of the provider's prompt cache.
        system_tokens: The number of tokens before the memory in each request.
        paid: Limits for the mean cost of a request, in tokens at full price. For each limit, the verdict names the
            memory that shows the most within the limit.
        survival: True if the survival of marked lines was measured.
        relearn: The number of times that each memory learnt the conversation anew.
    """

    memzoo: str
    model: str
    judge: str = ""
    counter: str
    budgets: tuple[int, ...]
    currency: str = ""
    prices: Mapping[str, tuple[float, float]] = Field(default_factory=dict)
    offline: bool = False
    cache: CacheRule = CACHES["none"]
    system_tokens: int = 0
    paid: tuple[int, ...] = ()
    survival: bool = False
    relearn: int = 0


class Results(Shape):
    """All results of a comparison, as in `results.json`.

    Attributes:
        format: The version of the format.
        rows: The rows of the table, one for each memory, with a baseline at each end.
        pairs: For each budget, comparisons of the best memory with each of the others.
        pick: The name of the memory to pick within the main budget; "" if the questions are too few to tell.
        verdict: The recommendation, in sentences.
        questions: The first 2,000 questions, each with the scores of the memories.
    """

    format: Literal[2] = 2
    run: Run
    talks: Talks
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...] = ()
    pick: str = ""
    verdict: tuple[str, ...] = ()
    questions: tuple[QuestionResult, ...] = ()

    @property
    def competing(self) -> list[Row]:
        """The rows that have a result, except the baselines."""
        return [row for row in self.rows if not row.error and not row.memory.baseline]

    @property
    def candidates(self) -> list[Row]:
        """The rows from which a memory is picked.

        Rows without a result are left out. So are baselines, rows whose figures are lower bounds (`MemoryInfo.floor`),
        and rows in which more than a tenth of the saves failed.
        """
        return [row for row in self.competing if not row.memory.floor and row.failed <= TOLERATED]

    @property
    def code(self) -> str:
        """The line of Python that creates the picked memory; "" without one."""
        return next((row.memory.code(self.main_budget) for row in self.rows if row.memory.name == self.pick), "")

    @property
    def main_budget(self) -> int:
        """The budget for which a memory is picked."""
        return main_budget(self.run.budgets)

    @property
    def kept_kinds(self) -> list[str]:
        """The kinds of marked lines in the conversations, in the order in which they first occur."""
        figures = (found for row in self.rows for found in row.budgets.values())
        return list(dict.fromkeys(one.kind for found in figures for one in found.survived))

    @property
    def failed(self) -> list[Row]:
        """The rows without a result, and the rows whose model failed at least once."""
        return [row for row in self.rows if row.error or row.failed]


@dataclass(frozen=True)
class Compared:
    """The results of a comparison, with the times, and the reason if the run ended early.

    Attributes:
        times: A dict from a memory's name to its mean milliseconds for a load and for a save, including model calls.
        ended: The reason why the run ended early; "" if the run was completed.
    """

    results: Results
    times: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    ended: str = ""

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the table, one for each memory, with a baseline at each end."""
        return self.results.rows

    @property
    def verdict(self) -> str:
        """The recommendation, in sentences."""
        return "\n".join(self.results.verdict)
