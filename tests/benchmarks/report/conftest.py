"""What the tests of the report share: a comparison with all that makes a page hard to lay out."""

import pytest

from memzoo.benchmarks import Comparison, Results, Row
from memzoo.benchmarks.outcomes import Scored, Sum, Survived
from memzoo.benchmarks.results import (
    Category,
    Cost,
    Figures,
    Interval,
    MemoryInfo,
    Pair,
    QuestionInfo,
    QuestionResult,
    Run,
    TalkInfo,
    Talks,
)

EVIL = "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7 * 7 }} |"
BUDGETS = (250, 1000)
_MEMORIES = (
    MemoryInfo(name="none", about="no memory at all", baseline=True),
    MemoryInfo(name="buffer", about="all that was said", strategy="buffer"),
    MemoryInfo(name="window", about="the last 5 exchanges", strategy="window", options={"k": 5}),
    MemoryInfo(name="window:k=10", about="the last 10 exchanges", strategy="window", options={"k": 10}),
    MemoryInfo(
        name="summary-buffer:max_token_limit=500,prune_to=250,count_summary=true",
        about="a summary, and the newest messages",
        strategy="summary-buffer",
        options={"max_token_limit": 500, "prune_to": 250, "count_summary": True},
        model="offline",
        floor=True,
    ),
    MemoryInfo(name="entity", about="notes", strategy="entity", model="offline", floor=True),
    MemoryInfo(name="vector-retriever", about="what fits best", strategy="vector-retriever"),
    MemoryInfo(name="knowledge-graph", about="facts", strategy="knowledge-graph", model="offline", floor=True),
    MemoryInfo(name=EVIL, about=EVIL, options={EVIL: EVIL}),
    MemoryInfo(name="broken", about="it fails", strategy="summary"),
    MemoryInfo(name="everything", about="all that was said, whole", baseline=True),
)
_KINDS = ("correction", "enumeration", "multi-hop", "pronoun", "single-hop", "temporal")


def _interval(mean: float) -> Interval:
    return Interval(mean=mean, low=max(0.0, mean - 0.13), high=min(1.0, mean + 0.14), count=24)


def _figures(place: int, budget: int) -> Figures:
    mean = 1.0 if place == len(_MEMORIES) - 1 else min(1.0, place * 0.06 * (1 + budget / 2000))
    tokens = 6_200.0 if mean == 1.0 else min(budget, 60.0 * place)
    course = tuple((number, round(min(tokens, number * 120.0))) for number in range(1, 77))
    found = _interval(mean)
    kinds = {kind: Category(questions=4, covered=found, whole=found, answers=found) for kind in _KINDS}
    return Figures(
        questions=24,
        covered=found,
        whole=_interval(mean / 2),
        answers=found,
        corrected=found,
        stale=_interval(mean / 3),
        tokens=tokens,
        tokens_at_end=tokens,
        tokens_for_a_question=tokens,
        sent=tokens + 40,
        cached=0.5,
        paid=(tokens + 40) * 0.55,
        course=course,
        survived=tuple(
            Survived(kind=kind, after=after, shown=round(4 * mean ** (0.2 + (after or 90) / 50)), of=4)
            for kind in ("safety rule", "goal", "correction")
            for after in (1, 2, 5, 10, 20, 50, None)
        ),
        categories=kinds,
    )


def _row(place: int, memory: MemoryInfo) -> Row:
    if memory.name == "broken":
        return Row(memory=memory, error=f"the model cannot be reached {EVIL}")
    calls = 76 if memory.model else 0
    load = Sum(calls=calls, prompt_tokens=calls * 300, completion_tokens=calls * 20)
    save = Sum(calls=calls, prompt_tokens=calls * 900, completion_tokens=calls * 200)
    return Row(
        memory=memory,
        exchanges=76,
        load=load,
        save=save,
        budgets={budget: _figures(place, budget).model_copy(update={"upkeep": load + save}) for budget in BUDGETS},
        costs={budget: Cost(upkeep=0.1 * place, reading=1234.5) for budget in BUDGETS},
    )


def _question(place: int) -> QuestionResult:
    long = " ".join(f"word{number}" for number in range(60))
    evidence = (EVIL, f"The boat costs\n4,200 crowns, {place}.") if place % 2 else (long,)
    shown = (("system", f"Human: The boat costs 4,200\ncrowns, {place}.\n{EVIL}"), ("user", long[:200]))
    question = QuestionInfo(
        transcript=0,
        text=f"What does the boat cost, after all, number {place}? {EVIL if place == 1 else ''}",
        answer=f"{EVIL}4,200",
        category=_KINDS[place % len(_KINDS)],
        evidence=evidence,
        stale=("The boat costs 3,000 crowns.",),
    )
    answers = {
        memory.name: {
            budget: Scored(
                covered=float(number > place % len(_MEMORIES)), update="stale" if number == 1 else None, shown=shown
            )
            for budget in BUDGETS
        }
        for number, memory in enumerate(_MEMORIES)
        if memory.name != "broken"
    }
    return QuestionResult(question=question, memories=answers)


@pytest.fixture(scope="session")
def comparison() -> Comparison:
    """Eleven memories, with long names and evil ones, floors and a failure, two budgets, prices, 24 questions."""
    talk = TalkInfo(title=f"Cat & boat {EVIL}", exchanges=76, messages=152, questions=24)
    competing = [one.name for one in _MEMORIES if not one.baseline and not one.floor and one.name != "broken"]
    pairs = tuple(
        Pair(
            budget=budget,
            measure="covered",
            best=EVIL,
            other=other,
            difference=_interval(0.2),
            distinguishable=other != "vector-retriever",
        )
        for budget in BUDGETS
        for other in competing
        if other != EVIL
    )
    results = Results(
        run=Run(
            memzoo="0.1.0",
            model="offline",
            counter="words",
            budgets=BUDGETS,
            currency="USD",
            prices={"*": (0.15, 0.6)},
            offline=True,
        ),
        talks=Talks(count=1, exchanges=76, messages=152, questions=24, adversarial=2, unusable=("9.9",), first=(talk,)),
        rows=tuple(_row(place, memory) for place, memory in enumerate(_MEMORIES)),
        pairs=pairs,
        verdict=("With 1,000 tokens, one comes first. `--model NAME` measures the others.", EVIL),
        questions=tuple(map(_question, range(24))),
    )
    return Comparison(results, {memory.name: (12.3, 4.5) for memory in _MEMORIES})
