"""Computes the results of a comparison from the measurements of each memory in each conversation."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memzoo.benchmarks.measure.caching import CacheRule, Requests
from memzoo.benchmarks.measure.statistics import Pair, difference, interval, most_behind
from memzoo.benchmarks.money import cost_of_thousand
from memzoo.benchmarks.outcomes import AtBudget, Outcome, Scored, Sum, Survived
from memzoo.benchmarks.results import (
    Category,
    Figures,
    MemoryInfo,
    QuestionInfo,
    QuestionResult,
    Results,
    Row,
    Run,
    Talks,
)
from memzoo.benchmarks.verdict import choose, measure_of, verdict

MOST_QUESTIONS = 2_000
"""The number of questions to report one by one; the figures cover all questions."""

_SUMS = ("load", "save", "asking", "judging", "embedding", "settled", "relearning")
_DIGITS = 6
_MOST_STATED = 100


@dataclass
class _Scores:
    """The measurements of one memory within one budget, over all conversations.

    Figures are stored by name, then by the position of the question in the comparison.
    """

    figures: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    agreeing: list[bool] = field(default_factory=list[bool])
    tokens: dict[int, int] = field(default_factory=dict[int, int])
    shown: int = 0
    loads: int = 0
    requests: Requests = field(default_factory=Requests)
    ends: list[int] = field(default_factory=list[int])
    course: tuple[tuple[int, int], ...] = ()
    survived: dict[tuple[str, str, int | None], Survived] = field(
        default_factory=dict[tuple[str, str, int | None], Survived]
    )
    stated: list[str] = field(default_factory=list[str])
    marked: int = 0
    lost: int = 0
    upkeep: Sum = field(default_factory=Sum)
    embedding: Sum = field(default_factory=Sum)

    def add(self, found: AtBudget, first: int, outcome: Outcome, *, longest: bool) -> None:
        self.upkeep += outcome.load + outcome.save if found.upkeep is None else found.upkeep
        self.embedding += outcome.embedding if found.embedding is None else found.embedding
        self.shown += found.tokens
        self.loads += found.loads
        self.requests += found.requests
        self.ends.append(found.tokens_at_end)
        # The chart shows one conversation, because a mean over different lengths would represent none of them.
        self.course = found.course if longest else self.course
        for name in ("survived", "relearnt", "unwanted"):
            for one in getattr(found, name):
                key = name, one.kind, one.after
                self.survived[key] = self.survived[key] + one if key in self.survived else one
        self.stated += found.stated
        ends = [one.shown for one in found.survived if one.after is None]
        self.marked += bool(ends)
        self.lost += bool(ends) and not any(ends)
        for place, answer in enumerate(found.answers, start=first):
            self.tokens[place] = answer.tokens
            for name, value in _figures_of(answer).items():
                self.figures[name][place] = value
            if answer.judged is not None and answer.answer is not None:
                self.agreeing.append(answer.judged == answer.answer)

    def to_figures(self, categories: Mapping[int, str], cache: CacheRule) -> Figures:
        sent = self.requests
        named: dict[str, Any] = {name: interval(list(values.values())) for name, values in self.figures.items()}
        followed: dict[str, Any] = {
            name: tuple(one for (found, *_), one in self.survived.items() if found == name)
            for name in ("survived", "relearnt", "unwanted")
        }
        ends = [one for one in followed["survived"] if one.after is None]
        shown, lost = sum(one.shown for one in ends), sum(one.of - one.shown for one in ends)
        return Figures(
            questions=len(self.tokens),
            **named,
            behind=None,  # computed later, by comparison with other memories
            agreement=_mean(self.agreeing),
            tokens=_mean_of(self.shown, self.loads),
            tokens_at_end=_mean_of(sum(self.ends), len(self.ends)),
            tokens_for_a_question=_mean(list(self.tokens.values())),
            sent=_mean_of(sent.sent, sent.count) if sent.count else None,
            cached=_mean_of(sent.cached, sent.sent) if sent.count else None,
            paid=_mean_of(cache.paid(sent), sent.count) if sent.count else None,
            course=self.course,
            **followed,
            stated=tuple(self.stated[:_MOST_STATED]),
            survival=interval([True] * shown + [False] * lost),
            marked_talks=self.marked,
            lost_talks=self.lost,
            categories={kind: self._category(kind, categories) for kind in sorted(set(categories.values()))},
            upkeep=self.upkeep,
            embedding=self.embedding,
        )

    def _category(self, kind: str, categories: Mapping[int, str]) -> Category:
        places = [place for place in self.tokens if categories[place] == kind]
        named = {
            name: interval([self.figures[name].get(place) for place in places])
            for name in ("covered", "whole", "answers")
        }
        return Category(questions=len(places), **named)


def _figures_of(answer: Scored) -> dict[str, float]:
    update = answer.update
    found = {
        "covered": answer.covered,
        "whole": answer.whole,
        "complete": None if answer.covered is None else answer.covered == 1,
        "answers": answer.answer,
        "judged": answer.judged,
        "corrected": None if update is None else update in ("corrected", "both"),
        "stale": None if update is None else update == "stale",
    }
    return {name: float(value) for name, value in found.items() if value is not None}


@dataclass
class _Gathered:
    """The measurements of one memory, over all budgets and conversations."""

    sums: dict[str, Sum] = field(default_factory=lambda: dict.fromkeys(_SUMS, Sum()))
    exchanges: int = 0
    failed: int = 0
    longest: int = 0
    failure: str = ""
    error: str = ""
    scores: dict[int, _Scores] = field(default_factory=lambda: defaultdict(_Scores))

    def add(self, outcome: Outcome, first: int) -> None:
        self.error = self.error or outcome.error
        self.failure = outcome.failure or self.failure
        self.failed += outcome.failed_saves
        self.exchanges += outcome.exchanges
        self.sums = {name: value + getattr(outcome, name) for name, value in self.sums.items()}
        longest = outcome.exchanges > self.longest
        self.longest = max(self.longest, outcome.exchanges)
        for budget, found in outcome.budgets.items():
            self.scores[budget].add(found, first, outcome, longest=longest)

    def row(self, memory: MemoryInfo, run: Run, categories: Mapping[int, str]) -> Row:
        if self.error or not self.scores:
            return Row(memory=memory, error=self.error or "the run ended before its turn")
        budgets = {budget: scores.to_figures(categories, run.cache) for budget, scores in sorted(self.scores.items())}
        about: dict[str, Any] = {"memory": memory, "exchanges": self.exchanges, "failure": self.failure, **self.sums}
        row = Row(**about, failed=_mean_of(self.failed, self.exchanges), budgets=budgets)
        if not run.prices:
            return row
        costs = {budget: cost_of_thousand(row, run, figures) for budget, figures in budgets.items()}
        return row.model_copy(update={"costs": costs})


def gather(
    outcomes: Iterable[Outcome],
    *,
    memories: Sequence[MemoryInfo],
    talks: Talks,
    questions: Sequence[tuple[int, str]],
    details: Sequence[QuestionInfo],
    run: Run,
) -> Results:
    """Return the results of a comparison, computed from the measurements of each memory in each conversation.

    `outcomes` are in the order of the conversations, `memories` in the order of the table's rows. `questions` has a
    pair for each question: the number of its conversation, and the kind of question. `details` has the first
    questions, up to `MOST_QUESTIONS`, which the report shows one by one.
    """
    firsts: dict[int, int] = {}
    for place, (number, _) in enumerate(questions):
        firsts.setdefault(number, place)
    found = {memory.name: _Gathered() for memory in memories}
    told: list[dict[str, dict[int, Scored]]] = [{} for _ in details]
    for outcome in outcomes:
        first = firsts.get(outcome.transcript, 0)
        found[outcome.memory].add(outcome, first)
        _tell(told, outcome, first)
    categories = {place: kind for place, (_, kind) in enumerate(questions)}
    rows = tuple(found[memory.name].row(memory, run, categories) for memory in memories)
    each = zip(details, told, strict=True)
    results = Results(
        run=run,
        talks=talks,
        rows=rows,
        questions=tuple(QuestionResult(question=question, memories=seen) for question, seen in each),
    )
    # The pick depends on the pairs, and the verdict on the pick.
    scores = {memory.name: found[memory.name].scores for memory in memories}
    results = _compare(results, scores)
    results = results.model_copy(update={"pick": choose(results)})
    return results.model_copy(update={"verdict": tuple(verdict(results))})


def _tell(told: list[dict[str, dict[int, Scored]]], outcome: Outcome, first: int) -> None:
    for budget, found in outcome.budgets.items():
        for place, answer in enumerate(found.answers, start=first):
            if place < len(told):
                told[place].setdefault(outcome.memory, {})[budget] = answer


def _compare(results: Results, scores: Mapping[str, Mapping[int, _Scores]]) -> Results:
    """Return the results with comparisons of all memories at each budget; memories with lower bounds are left out."""
    rows = {row.memory.name: row for row in results.candidates}
    pairs: list[Pair] = []
    for budget in results.run.budgets:
        measure = measure_of([*rows.values()], budget)
        values = {name: scores[name][budget].figures.get(measure, {}) for name in rows}
        known = {name: found for name, found in values.items() if found}
        if not known:
            continue
        pairs += _pairs(budget, measure, known)
        for name, behind in most_behind(known).items():
            at = rows[name].budgets
            changed = {**at, budget: at[budget].model_copy(update={"behind": behind})}
            rows[name] = rows[name].model_copy(update={"budgets": changed})
    told = tuple(rows.get(row.memory.name, row) for row in results.rows)
    return results.model_copy(update={"rows": told, "pairs": tuple(pairs)})


def _pairs(budget: int, measure: str, known: Mapping[str, Mapping[int, float]]) -> Iterable[Pair]:
    """Yield the comparisons of the best memory with every other memory."""
    # Sums, not means: all memories had the same questions, and an answer without a judgement counts as 0.
    sums = {name: sum(found.values()) for name, found in known.items()}
    best = max(sums, key=sums.__getitem__)
    for other, found in known.items():
        apart = difference(known[best], found) if other != best else None
        if apart:
            distinct = apart.low > 0
            about: dict[str, Any] = {"budget": budget, "measure": measure, "best": best, "other": other}
            yield Pair(**about, difference=apart, distinguishable=distinct)


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), _DIGITS) if values else None


def _mean_of(amount: float, count: int) -> float:
    return round(amount / max(count, 1), _DIGITS)
