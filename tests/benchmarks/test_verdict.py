"""What a comparison says in words."""

from typing import Any

import numpy
import pytest

from memzoo.benchmarks import Results
from memzoo.benchmarks.aggregate import gather
from memzoo.benchmarks.measure.caching import CACHES, CacheRule, Requests
from memzoo.benchmarks.outcomes import AtBudget, Outcome, Scored, Sum
from memzoo.benchmarks.research.verdict import count_picks
from memzoo.benchmarks.results import MemoryInfo, Run, Talks
from memzoo.benchmarks.variants import PRESETS
from memzoo.benchmarks.verdict import verdict
from memzoo.memories import create_memory

QUESTIONS = 60


def outcome(name: str, right: int, *, shown: int = 500, calls: int = 0, **more: Any) -> Outcome:
    """A memory that shows the evidence of so many of the questions, and the answers to `said` of the first `known`."""
    updates, said, known = more.pop("updates", None), more.pop("said", 0), more.pop("known", 0)
    answers = tuple(
        Scored(
            covered=float(place < right),
            whole=float(place < right),
            answer=place < said if place < known else None,
            update=updates,
            tokens=shown,
        )
        for place in range(QUESTIONS)
    )
    at = AtBudget(loads=1, tokens=shown, tokens_at_end=shown, course=((1, shown),), answers=answers)
    spent = Sum(calls=calls, prompt_tokens=100 * calls, completion_tokens=10 * calls)
    return Outcome(transcript=0, memory=name, exchanges=1, save=spent, budgets={1000: at}, **more)


def _answering(name: str, marks: str, *, shown: int = 500) -> Outcome:
    """A memory that shows the evidence of the questions with a plus."""
    answers = tuple(Scored(covered=float(mark == "+"), tokens=shown) for mark in marks)
    at = AtBudget(loads=1, tokens=shown, tokens_at_end=shown, course=((1, shown),), answers=answers)
    return Outcome(transcript=0, memory=name, exchanges=1, budgets={1000: at})


def results(
    *outcomes: Outcome,
    floors: tuple[str, ...] = (),
    prices: bool = False,
    asked: int = QUESTIONS,
    cache: CacheRule = CACHES["none"],
    paid: tuple[int, ...] = (),
) -> Results:
    """What is gathered from outcomes."""
    memories = [
        MemoryInfo(name=one.memory, model="m" if one.save.calls else "", floor=one.memory in floors) for one in outcomes
    ]
    about: dict[str, Any] = {"memzoo": "1", "model": "m", "counter": "words", "budgets": (1000,)}
    run = Run(
        **about, currency="$" if prices else "", prices={"m": (1.0, 2.0)} if prices else {}, cache=cache, paid=paid
    )
    talks = Talks(count=1, exchanges=1, messages=2, questions=asked)
    return gather(outcomes, memories=memories, talks=talks, questions=[(0, "any")] * asked, details=[], run=run)


def said(*outcomes: Outcome, **more: Any) -> str:
    """The verdict on outcomes."""
    return " ".join(results(*outcomes, **more).verdict)


def test_what_is_ahead_of_all_is_picked() -> None:
    """With its figure, the interval, and what it rests on."""
    text = said(outcome("a", 50), outcome("b", 20), outcome("c", 0))
    assert "With 1,000 tokens of memory, a comes first: 83% of the evidence is shown (" in text
    assert "Evidence: the messages that the answers rest on." in text
    assert "60 questions)" in text
    assert "Pick a: it is ahead of every other memory here." in text


def test_answers_say_more_than_evidence() -> None:
    """A summary that says the answer in its own words is ahead of a buffer that shows where it was said."""
    text = said(outcome("buffer", 60, said=10, known=60), outcome("summary", 0, said=50, known=60))
    assert "summary comes first: 83% of the answers are shown (" in text


def test_answers_count_where_half_of_the_questions_have_one() -> None:
    """A few answers among many questions do not decide."""
    half, fewer = (
        said(outcome("a", 60, said=0, known=known), outcome("b", 0, said=known, known=known)) for known in (30, 29)
    )
    assert "b comes first: 100% of the answers are shown" in half
    assert "a comes first: 100% of the evidence" in fewer


def test_the_cheaper_of_two_that_cannot_be_told_apart_is_picked_if_it_falls_short_by_little() -> None:
    """By less than a tenth, for sure."""
    text = said(outcome("a", 55, shown=900), outcome("b", 54, shown=100), outcome("c", 0))
    assert "60 questions cannot tell a and b apart. Pick b: it costs fewer tokens." in text
    assert "ahead of every other" not in text
    several = said(outcome("a", 55, shown=900), outcome("b", 54, shown=100), outcome("c", 54, shown=500))
    assert "cannot tell a, b and c apart. Pick b: it costs the fewest tokens." in several


def test_what_cannot_be_told_apart_is_not_equal() -> None:
    """The cheaper one is not picked where it may show a tenth less."""
    both = "+" * 51
    found = results(
        _answering("a", "+++++++--" + both, shown=900), _answering("b", "-------++" + both), _answering("c", "-" * 60)
    )
    assert found.pick == "a"
    text = " ".join(found.verdict)
    assert "60 questions cannot tell a and b apart. Pick a: b costs fewer tokens, but may show a tenth less." in text


def test_few_questions_pick_nobody() -> None:
    """Whatever they say: below twenty, and where they leave it open whether the best is a tenth behind another."""
    few = results(_answering("window", "+----", shown=100), _answering("retriever", "++++-"), _answering("c", "-----"))
    assert (few.pick, few.code) == ("", "")
    assert "5 questions are too few to choose: ask 20 or more." in " ".join(few.verdict)
    assert "Pick" not in " ".join(few.verdict)
    open_ = results(_answering("a", "+-" * 15), _answering("b", "-+" * 15))
    assert open_.pick == ""
    assert "30 questions are too few to choose: ask more. a and b cost the same." in " ".join(open_.verdict)
    assert results(_answering("a", "+" * 20), _answering("b", "-" * 20)).pick == "a"
    assert results(_answering("a", "+" * 19), _answering("b", "-" * 19)).pick == ""


def test_memories_with_the_same_figure_tie() -> None:
    """None of them comes first, and the cheapest are named; a memory that falls short is not among them."""
    few, all_ = "+" * 25, [("a", 900), ("b", 100), ("c", 100)]
    text = said(*(_answering(name, few, shown=shown) for name, shown in all_), _answering("d", "+" * 24 + "-", shown=9))
    assert "a, b and c tie for first place: 100% of the evidence is shown (100% to 100%, 25 questions)." in text
    assert "25 questions are too few to choose: ask more. Until then, b and c cost the fewest tokens of those" in text
    assert "comes first" not in text
    two = said(*(_answering(name, few, shown=shown) for name, shown in all_[:2]))
    assert "a and b tie for first place" in two
    assert "Until then, b costs the fewest tokens of those that tie." in two
    many = said(outcome("a", 54, shown=900), outcome("b", 54, shown=100))
    assert "a and b tie for first place: 90%" in many
    assert "60 questions cannot tell a and b apart. Pick b: it costs fewer tokens." in many


def test_an_equal_price_is_told() -> None:
    """The best is picked, not the first in the table."""
    assert "Pick b: the other costs as much." in said(outcome("a", 54), outcome("b", 55))
    assert "Pick b: the others cost as much." in said(outcome("a", 54), outcome("b", 55), outcome("c", 54))


def test_sending_everything_is_named_where_it_costs_no_more() -> None:
    """And shows as much; else it is not. Of memories that tie, the cheapest is what it has to match."""
    whole = MemoryInfo(name="everything", baseline=True)

    def found(right: str, shown: int, *made: Outcome) -> str:
        asked = len(right)
        memories, about = [*(MemoryInfo(name=one.memory) for one in made), whole], results(*made, asked=asked)
        outcomes, kinds = [*made, _answering("everything", right, shown=shown)], [(0, "any")] * asked
        again = gather(outcomes, memories=memories, talks=about.talks, questions=kinds, details=[], run=about.run)
        return " ".join(again.verdict)

    ahead = _answering("a", "+" * 50 + "-" * 10, shown=400), _answering("b", "+" * 9 + "-" * 51)
    assert "But sending everything shows 100% and costs no more" in found("+" * 60, 400, *ahead)
    assert "ending everything" not in found("+" * 60, 401, *ahead)
    assert "ending everything" not in found("+" * 49 + "-" * 11, 400, *ahead)
    tied = _answering("a", "+++", shown=400), _answering("b", "+++", shown=300)
    assert "Sending everything" in found("+++", 300, *tied)
    assert "ending everything" not in found("+++", 400, *tied)


@pytest.mark.parametrize("name", [one.name for one in PRESETS.values() if not one.baseline])
def test_the_line_to_paste_makes_the_memory(name: str) -> None:
    """With the options that were measured, for the budget; a memory of one's own has none."""
    preset = PRESETS[name]
    model = "offline" if preset.asks_model else ""
    info = MemoryInfo(name="one", strategy=preset.strategy, options=preset.options, model=model)
    made = eval(info.code(300), {"create_memory": create_memory})  # noqa: S307 - it is the line to paste
    expected: Any = preset.make(300, llm="offline")
    options = [option for option in preset.options if option != "memories"]
    assert type(made) is type(expected)
    assert [getattr(made, option) for option in options] == [getattr(expected, option) for option in options]
    assert MemoryInfo(name="mine").code(300) == ""


def test_a_large_model_that_learnt_in_advance_has_another_name_in_the_line() -> None:
    """Its own is no name of a model that could be asked."""
    learnt = MemoryInfo(name="entity*", strategy="entity", model="a large model", learnt_by="a large model")
    assert 'create_memory("entity", llm="gpt-4o-mini")' in learnt.code(1000)


@pytest.mark.parametrize("shares", [(0.45, 0.55), (0.9, 1.0)])
@pytest.mark.parametrize("questions", [20, 76])
def test_a_memory_that_is_a_tenth_worse_is_hardly_ever_picked(shares: tuple[float, float], questions: int) -> None:
    """In a twentieth of all comparisons at the most, though it costs less."""
    # Twice the standard error of 100 draws is allowed for.
    assert count_picks(shares, questions, 0.25, 100, numpy.random.default_rng(0)).worse <= 0.05 + 0.04


def test_a_memory_that_is_a_fifth_better_is_found() -> None:
    """With 76 questions, somebody is picked in four comparisons of five, of two memories and of seven."""
    for others in (1, 6):
        shares = [*[0.4] * others, 0.6]
        assert count_picks(shares, 76, 0.25, 50, numpy.random.default_rng(0)).somebody >= 0.8


def test_one_is_no_plural() -> None:
    """One question, one token."""
    made = outcome("a", 60)
    at = made.budgets[1000]
    one = made.model_copy(update={"budgets": {1: at.model_copy(update={"answers": at.answers[:1]})}})
    found = gather(
        [one],
        memories=[MemoryInfo(name="a")],
        talks=Talks(count=1, exchanges=1, messages=2, questions=1, drafted=1),
        questions=[(0, "any")],
        details=[],
        run=Run(memzoo="1", model="m", counter="words", budgets=(1,)),
    )
    text = " ".join(found.verdict)
    assert "With 1 token of memory, a comes first: 100% of the evidence is shown (100% to 100%, 1 question)." in text
    assert (
        "The question was drafted by rules, from the user's words, and no person has read it yet: a first look." in text
    )


def test_the_cheapest_is_so_by_what_is_paid() -> None:
    """Who shows more may pay less, where a provider has most of it in its cache."""
    sent = {"a": Requests(10, 9_000, 8_000), "b": Requests(10, 4_000, 0)}
    made = [outcome(name, 30 + (name == "a"), shown=900 if name == "a" else 100) for name in sent]
    cached = [
        one.model_copy(update={"budgets": {1000: one.budgets[1000].model_copy(update={"requests": sent[one.memory]})}})
        for one in made
    ]
    openai, nobody = CACHES["openai"], CACHES["none"]
    assert "Pick a: it costs fewer tokens" in said(*cached, cache=openai)
    assert "Pick b: it costs fewer tokens" in said(*cached, cache=nobody)
    figures = results(*cached, cache=openai).rows[0].budgets[1000]
    assert (figures.sent, figures.cached, figures.paid) == (900, round(8 / 9, 6), 180)
    costs = results(*cached, cache=openai, prices=True).rows[0].costs[1000]
    assert costs.reading == 180 * 1_000 * 1.0 / 1_000_000


def test_for_a_price_whoever_shows_the_most_is_named() -> None:
    """Of all memories and budgets that cost no more; who costs the least, where all cost more."""

    def paying(name: str, *points: tuple[int, int, int]) -> Outcome:
        made = {budget: outcome(name, right).budgets[1000] for budget, right, _ in points}
        for budget, _, paid in points:
            made[budget] = made[budget].model_copy(update={"requests": Requests(1, paid)})
        return outcome(name, 0).model_copy(update={"budgets": made})

    few, many = paying("few", (250, 20, 300), (1000, 25, 420)), paying("many", (250, 10, 400), (1000, 55, 1200))
    text = said(few, many, paid=(100, 500, 2000))
    assert "No memory costs as little as 100 paid tokens a request; the cheapest is few with 250 tokens" in text
    assert "For at most 500 paid tokens a request, few shows the most: 42% of the evidence is shown (" in text
    assert "with 1,000 tokens of memory, at 420." in text
    assert "For at most 2,000 paid tokens a request, many shows the most: 92%" in text
    assert "paid tokens a request" not in said(few, many)


@pytest.mark.parametrize("right", range(20, 61, 4))
def test_the_words_follow_the_interval(right: int) -> None:
    """Whatever the figures: "ahead" is said if and only if no interval of a difference holds 0."""
    found = results(outcome("a", 40), outcome("b", right))
    (pair,) = found.pairs
    ahead = "ahead of every other" in " ".join(found.verdict)
    assert ahead == pair.distinguishable == (pair.difference.low > 0)


def test_cost_is_told_with_its_currency() -> None:
    """For a thousand exchanges."""
    text = said(outcome("a", 31, shown=900), outcome("b", 30, shown=100, calls=9), prices=True)
    assert "1,000 exchanges cost, in $: a 0.90, b 1.18." in text
    assert "Pick a: it costs less." in text


def test_a_floor_is_no_figure() -> None:
    """What rules answered for is not compared, however high it is."""
    text = said(outcome("a", 30), outcome("b", 60, calls=1), floors=("b",))
    assert "a comes first" in text
    assert "There is no other memory to choose from." in text
    assert "b needs a model. Rules answered in its place" in text
    assert "`--model NAME` measures them" in text
    assert "ahead of every other memory that was measured" in said(
        outcome("a", 50), outcome("b", 9), outcome("c", 60, calls=1), floors=("c",)
    )


def test_without_questions_nothing_is_claimed() -> None:
    """And it is said how to get some."""
    silent = Outcome(
        transcript=0,
        memory="a",
        exchanges=1,
        budgets={1000: AtBudget(loads=1, tokens=5, tokens_at_end=5, course=((1, 5),), answers=())},
    )
    text = said(silent, asked=0)
    assert text.startswith("There are no questions")
    assert "--write-questions" in text


def test_who_shows_nothing_is_not_first() -> None:
    """Nobody is."""
    assert said(outcome("a", 0), outcome("b", 0)).startswith("No memory that was measured showed anything")


def test_a_stale_best_is_warned_of() -> None:
    """And another that shows the corrections is named."""
    text = said(outcome("a", 60, updates="stale"), outcome("b", 20, updates="corrected"))
    assert "Where corrections matter most, b is better: it shows 100% of them, a 0%." in text
    assert "a shows only the old statement for 100% of the questions" in text


def test_failures_are_told() -> None:
    """A memory whose model failed, and one that could not be measured at all."""
    text = said(
        outcome("a", 30, failed_saves=1, failure="no answer"), Outcome(transcript=0, memory="b", error="ValueError: x")
    )
    assert "a: the model failed in 100% of the saves" in text
    assert "and do not count for the choice. The last failure: no answer" in text
    assert "b could not be measured: ValueError: x" in text


def test_a_memory_whose_model_mostly_failed_is_not_picked() -> None:
    """What it showed meanwhile is not its own; a tenth of failures is tolerated."""
    other = outcome("b", 20)
    for failed, first in ((0, "a"), (1, "a"), (2, "b")):
        one = outcome("a", 50).model_copy(update={"exchanges": 10, "failed_saves": failed})
        found = results(one, other)
        assert f"{first} comes first" in " ".join(found.verdict)
        assert any(pair.best == "a" for pair in found.pairs) == (first == "a")


def test_nothing_is_said_of_corrections_that_cannot_be_told_apart() -> None:
    """Where the intervals overlap, the one that shows some more of them is not named."""
    few, more = (_updated(name, right, shown) for name, right, shown in (("a", 60, 30), ("b", 20, 34)))
    assert "Where corrections matter most" not in said(few, more)
    assert "Where corrections matter most, b is better: it shows 90% of them" in said(few, _updated("b", 20, 54))


def _updated(name: str, right: int, corrected: int) -> Outcome:
    """A memory that shows the corrections of so many of the questions."""
    made = outcome(name, right)
    answers = [
        one.model_copy(update={"update": "corrected" if place < corrected else "neither"})
        for place, one in enumerate(made.budgets[1000].answers)
    ]
    return made.model_copy(
        update={"budgets": {1000: made.budgets[1000].model_copy(update={"answers": tuple(answers)})}}
    )


def test_no_old_statement_is_warned_of_where_none_is_shown() -> None:
    """Nor where no correction was asked for."""
    assert "only the old statement" not in said(
        outcome("a", 60, updates="corrected"), outcome("b", 20, updates="stale")
    )
    assert "only the old statement" not in said(outcome("a", 60), outcome("b", 20))


def test_memories_that_show_all_corrections_alike_are_not_held_against_each_other() -> None:
    """Not even by their intervals, which are the same point."""
    text = said(outcome("a", 60, updates="corrected"), outcome("b", 20, updates="corrected"))
    assert "Where corrections matter most" not in text


def test_floors_are_listed_by_name() -> None:
    """One, two or three of them."""
    others = [outcome(name, 60, calls=1) for name in ("b", "c", "d")]
    for count, names in ((1, "b needs"), (2, "b and c need"), (3, "b, c and d need")):
        floors = tuple(one.memory for one in others[:count])
        assert f"{names} a model." in said(outcome("a", 30), *others[:count], floors=floors)


def test_a_few_old_statements_are_not_worth_a_sentence() -> None:
    """One in twenty is not; more are."""

    def stale(count: int) -> str:
        made = outcome("a", 60)
        answers = [
            one.model_copy(update={"update": "stale" if place < count else "corrected"})
            for place, one in enumerate(made.budgets[1000].answers)
        ]
        at = made.budgets[1000].model_copy(update={"answers": tuple(answers)})
        return said(made.model_copy(update={"budgets": {1000: at}}))

    assert "only the old statement" not in stale(3)
    assert "only the old statement for 7% of the questions" in stale(4)


def test_the_cheapest_is_so_by_money_where_there_are_prices() -> None:
    """Few tokens that a model writes may cost more than many that it reads."""
    text = said(outcome("a", 31, shown=900), outcome("b", 30, shown=100, calls=7), prices=True)
    assert "Pick a: it costs less." in text
    assert "Pick b: it costs fewer tokens." in said(outcome("a", 31, shown=900), outcome("b", 30, shown=100, calls=7))


def test_a_cost_that_nobody_knows_is_never_the_lowest() -> None:
    """A model that reports no tokens makes the memory that asks it look free."""
    silent = outcome("b", 30, shown=100).model_copy(update={"save": Sum(calls=9)})
    text = said(outcome("a", 31, shown=900), silent, prices=True)
    assert "1,000 exchanges cost, in $: a 0.90, b (not known)." in text
    assert "Pick a: the model reports no tokens, so not all costs are known." in text


def test_a_single_question_is_one() -> None:
    """In words, too."""
    made = outcome("a", 1)
    at = made.budgets[1000].model_copy(update={"answers": made.budgets[1000].answers[:1]})
    assert ", 1 question)." in said(made.model_copy(update={"budgets": {1000: at}}), asked=1)


def test_what_was_learnt_beforehand_is_told() -> None:
    """By whom, of those that could be measured."""
    found = results(outcome("a", 30), outcome("b*", 50), Outcome(transcript=0, memory="c*", error="OptionError: x"))
    rows = [
        row.model_copy(update={"memory": row.memory.model_copy(update={"learnt_by": "a clerk"})})
        if row.memory.name.endswith("*")
        else row
        for row in found.rows
    ]
    text = " ".join(verdict(found.model_copy(update={"rows": tuple(rows)})))
    assert "Rows with a star: a clerk learnt the conversation in advance." in text
    assert "learnt" not in " ".join(found.verdict)


def test_little_is_called_little() -> None:
    """Who is first with one in ten is told, and that nobody remembers much."""
    assert "None of these memories shows much" in said(outcome("a", 6), outcome("b", 0))
    assert "None of these memories shows much" not in said(outcome("a", 30), outcome("b", 0))


def test_drafted_questions_are_a_first_look() -> None:
    """It is told whether all of them were drafted, or how many."""
    found = results(outcome("a", 30))
    for count, start in ((QUESTIONS, "The questions were drafted by rules"), (9, "9 questions were drafted by rules")):
        talks = found.talks.model_copy(update={"drafted": count})
        assert start in " ".join(verdict(found.model_copy(update={"talks": talks})))
    assert "drafted" not in " ".join(found.verdict)


def test_what_rules_cannot_read_is_not_measured() -> None:
    """Notes and facts are named; a summary by rules is a bound all the same."""
    found = results(outcome("a", 30), outcome("b", 9, calls=1), outcome("c", 9, calls=1), floors=("b", "c"))
    strategies = {"b": "entity", "c": "summary"}
    rows = [
        row.model_copy(
            update={"memory": row.memory.model_copy(update={"strategy": strategies.get(row.memory.name, "")})}
        )
        for row in found.rows
    ]
    talks = found.talks.model_copy(update={"unread": True})
    text = " ".join(verdict(found.model_copy(update={"rows": tuple(rows), "talks": talks})))
    assert "b: not measured, since the built-in rules found no name" in text
    assert "c needs a model." in text
