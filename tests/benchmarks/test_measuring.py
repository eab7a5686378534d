"""One memory in one conversation."""

import cProfile
import dataclasses
import itertools
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.benchmarks import Exchange, Question, Transcript
from memzoo.benchmarks.measure.caching import FRAME as PER_MESSAGE
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.judging import Judge
from memzoo.benchmarks.measure.measuring import measure, steps_in
from memzoo.benchmarks.measure.settings import Settings, Timing
from memzoo.benchmarks.outcomes import Outcome, Sum
from memzoo.benchmarks.recorded_states import LearntState, LearntStep
from memzoo.benchmarks.variants import PRESETS, Variant
from memzoo.memories import STRATEGIES, create_memory
from memzoo.memories.models.chat import ChatFunction, as_model
from memzoo.memories.text.framing import frame_text
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of
from tests.vocabulary import Vocabulary

Measured = Callable[..., Outcome]
BUDGET = 14


def eager(name: str, **options: Any) -> Variant:
    """A preset that learns from each exchange."""
    return dataclasses.replace(PRESETS[name], options={**PRESETS[name].options, "learn_every": 1, **options})


def settings(words: TextCounter, model: ChatFunction | str = "offline", *budgets: int) -> Settings:
    """How to measure; the clock ticks when it is read."""
    ticks = itertools.count()
    return Settings(model=as_model(model), budgets=budgets or [BUDGET], counter=words, timer=lambda: float(next(ticks)))


@pytest.fixture
def measured(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Measured:
    """Measures a preset in the short conversation, within a budget of 14 words."""

    def run(name: str, model: ChatFunction = rules, *budgets: int) -> Outcome:
        return measure(transcript, 0, eager(name), settings(words, model, *budgets))[0]

    return run


def shown(outcome: Outcome, budget: int = BUDGET) -> list[int]:
    """Tokens shown at each exchange."""
    return [tokens for _, tokens in outcome.budgets[budget].course]


FRAME = len(frame_text("").split())


class TestWhatIsShown:
    """Tokens and recall, worked out by hand."""

    @pytest.mark.parametrize(
        ("name", "tokens", "recalls", "answers"),
        [
            ("none", [0, 0, 0], [0, 0], [False, False]),
            ("buffer", [0, 11, 12], [0, 1], [False, True]),
            ("window", [0, 11, 12], [0, 1], [False, True]),
            ("summary", [0, 7, 7], [0, 0], [True, False]),
            ("everything", [0, 11, 23], [1, 1], [True, True]),
        ],
    )
    def test_it_is_counted_before_each_exchange_and_searched_for_each_question(
        self, name: str, tokens: list[int], recalls: list[float], answers: list[bool], measured: Measured
    ) -> None:
        """The first exchange meets an empty memory; the questions meet the whole conversation."""
        found = measured(name)
        assert shown(found) == tokens
        assert found.budgets[BUDGET].tokens_at_end == tokens[-1]
        assert [answer.whole for answer in found.budgets[BUDGET].answers] == recalls
        assert [answer.answer for answer in found.budgets[BUDGET].answers] == answers

    def test_what_a_question_was_shown_is_kept(self, measured: Measured) -> None:
        """The report can show it."""
        view = measured("buffer").budgets[BUDGET].answers[0].shown
        assert view == (("user", "The boat costs 4,200 crowns."), ("assistant", "That is a fair price."))

    def test_a_retriever_shows_what_fits_the_question(self, measured: Measured, rules: ChatFunction) -> None:
        """Both questions find evidence, though not all was shown."""
        budget = 20 + FRAME
        answers = measured("vector-retriever", rules, budget).budgets[budget].answers
        assert all((answer.whole or 0) > 0 and answer.tokens <= budget for answer in answers)

    @pytest.mark.parametrize("name", [name for name, one in PRESETS.items() if one.cut])
    def test_it_is_never_over_a_budget(self, name: str, measured: Measured, rules: ChatFunction) -> None:
        """Neither at an exchange nor for a question."""
        found = measured(name, rules, 5, 14, 30, 30 + FRAME)
        for budget, at in found.budgets.items():
            assert all(tokens <= budget for tokens in [*shown(found, budget), *(one.tokens for one in at.answers)])

    @pytest.mark.parametrize("name", ["summary", "vector-retriever"])
    def test_tokens_sent_are_those_of_requests(
        self, name: str, transcript: Transcript, measured: Measured, rules: ChatFunction
    ) -> None:
        """Each exchange sends the request that the memory makes: with frames, and with neighbours joined."""
        options: dict[str, Any] = {"human_prefix": transcript.user, "ai_prefix": transcript.assistant}
        options |= {"llm": rules, "learn_every": 1}
        memory, sent = create_memory(name, **options), 0
        for exchange in transcript.exchanges:
            request = memory.request(exchange.messages[0])
            sent += sum(len(text_of(message).split()) + sum(PER_MESSAGE) for message in request)
            memory.add_messages(exchange.records)
        assert measured(name, rules, 10_000).budgets[10_000].requests.sent == sent

    def test_budgets_are_measured_as_if_alone(self, measured: Measured, rules: ChatFunction) -> None:
        """Several at once give what each gives by itself."""
        for name in ("window", "summary-buffer", "vector-retriever"):
            together = measured(name, rules, 5, 14)
            assert together.budgets[14] == measured(name).budgets[14]

    def test_upkeep_is_that_of_each_budget(self, measured: Measured, rules: ChatFunction) -> None:
        """A summary buffer asks more often the less room it has. The sums are those of the main budget."""
        apart = {budget: measured("summary-buffer", rules, budget) for budget in (5, 14, 1000)}
        assert apart[5].save.calls > apart[1000].save.calls
        assert measured("summary-buffer", rules, 5, 14).save == apart[14].save
        together = measured("summary-buffer", rules, 5, 1000, 2000)
        assert together.save == apart[1000].save
        assert together.budgets[1000].upkeep is None
        assert together.budgets[5].upkeep == apart[5].load + apart[5].save

    def test_failures_are_those_of_the_worst_budget(self, measured: Measured) -> None:
        """A model that only the run with the least room asks, and that fails, is reported."""

        def broken(_: object) -> str:
            raise ValueError("down")

        assert not measured("summary-buffer", broken, 1000).failed_saves
        found = measured("summary-buffer", broken, 5, 1000)
        assert found.failed_saves == measured("summary-buffer", broken, 5).failed_saves > 0
        assert "down" in found.failure

    def test_a_question_is_asked_when_it_is_due(self, transcript: Transcript, words: TextCounter) -> None:
        """What is said later is not shown; nothing at all before the first exchange."""
        texts = [exchange.messages[0]["content"] for exchange in transcript.exchanges]
        asked = [Question("Which?", "", (texts[place],), asked_after=after) for after in (2, 0) for place in (0, 1, 2)]
        midst = dataclasses.replace(transcript, questions=tuple(asked))
        found = measure(midst, 0, PRESETS["everything"], settings(words))[0]
        assert [answer.whole for answer in found.budgets[BUDGET].answers] == [0, 0, 0, 1, 1, 0]


class TestWhatIsSpent:
    """Model calls and time."""

    @pytest.mark.parametrize(
        ("name", "load", "save", "asking"),
        [
            ("buffer", 0, 0, 0),
            ("vector-retriever", 0, 0, 0),
            ("summary", 0, 3, 0),
            ("entity", 0, 3, 0),
            ("knowledge-graph", 0, 3, 0),
        ],
    )
    def test_calls_are_booked_where_they_belong(
        self, name: str, load: int, save: int, asking: int, measured: Measured
    ) -> None:
        """Loading, saving and asking are kept apart; a graph without facts is not asked about."""
        found = measured(name)
        assert (found.load.calls, found.save.calls, found.asking.calls) == (load, save, asking)

    def test_calls_of_a_load_are_kept_apart_from_those_of_a_question(
        self, transcript: Transcript, words: TextCounter, rules: ChatFunction
    ) -> None:
        """Each of three exchanges asks once to load and once to save, each of two questions once to load."""
        variant = dataclasses.replace(PRESETS["entity"], options={"ask_at_load": True, "learn_every": 1})
        found = measure(transcript, 0, variant, settings(words, rules))[0]
        assert (found.load.calls, found.save.calls, found.asking.calls) == (3, 3, 2)

    def test_time_is_taken_for_loading_and_for_saving(self, transcript: Transcript, words: TextCounter) -> None:
        """Each is one tick of a clock that ticks when it is read."""
        timing = measure(transcript, 0, PRESETS["window"], settings(words))[1]
        assert timing == Timing("window", 3.0, 3, 3.0, 3)

    @pytest.mark.parametrize("name", ["none", "everything"])
    def test_a_baseline_takes_no_time(self, name: str, transcript: Transcript, words: TextCounter) -> None:
        """There is nothing that is loaded or saved."""
        assert measure(transcript, 0, PRESETS[name], settings(words))[1] == Timing(name)


class TestModelFailures:
    """A model that fails now and then, or always."""

    def test_a_failed_save_is_counted_and_made_up_for(self, rules: ChatFunction, measured: Measured) -> None:
        """The next load or save catches up."""
        calls = itertools.count()

        def shaky(messages: list[Message]) -> object:
            if next(calls) < 2:
                raise TimeoutError
            return rules(messages)

        found = measured("summary", shaky)
        assert found.failed_saves == 1
        assert "TimeoutError" in found.failure
        assert found.budgets[BUDGET].answers[0].answer

    def test_what_was_shown_meanwhile_is_measured(self, measured: Measured) -> None:
        """A memory without its model shows the messages word for word."""

        def broken(messages: list[Message]) -> str:
            raise TimeoutError("no answer")

        found = measured("summary", broken)
        assert found.failed_saves == 3
        assert [answer.whole for answer in found.budgets[BUDGET].answers] == [0, 1]

    def test_a_model_that_keeps_failing_is_asked_no_more(self, words: TextCounter, transcript: Transcript) -> None:
        """Nobody wants to pay for, or wait for, a thousand failures."""
        calls = itertools.count(1)

        def broken(messages: list[Message]) -> str:
            raise TimeoutError(next(calls))

        long = dataclasses.replace(transcript, exchanges=transcript.exchanges * 20)
        found = measure(long, 0, eager("summary"), settings(words, broken))[0]
        assert (found.failed_saves, next(calls)) == (60, 11)
        assert re.search("is not asked again: .*TimeoutError: 10", found.failure)


@pytest.mark.parametrize("learnt", [True, False], ids=["learnt beforehand", "learnt in the run"])
def test_a_question_is_asked_on_the_day_of_the_last_exchange(learnt: bool, words: TextCounter) -> None:  # noqa: FBT001
    """What "yesterday" means depends on it."""
    said = ["A plumber came.", "I baked bread.", "Rain all day."]
    exchanges = tuple(
        Exchange(({"role": "user", "content": text},), ({},), datetime(2026, 3, day, tzinfo=UTC))
        for day, text in enumerate(said, start=1)
    )
    talk = Transcript("days", exchanges, (Question("What happened yesterday?", "", (said[1],)),))
    state = LearntState(options={}, name="vector-retriever")
    variant = dataclasses.replace(PRESETS["vector-retriever"], learnt=state if learnt else None)
    budget = 8 + FRAME
    (answer,) = measure(talk, 0, variant, settings(words, "offline", budget))[0].budgets[budget].answers
    assert answer.shown
    assert "I baked bread." in answer.shown[0][1]
    assert "plumber" not in answer.shown[0][1]


@pytest.mark.parametrize("name", ["none", "buffer", "vector-retriever", "everything"])
@pytest.mark.parametrize("role", ["system", "assistant"])
def test_a_conversation_may_begin_with_another_message_than_the_users(name: str, role: str, words: TextCounter) -> None:
    """The request before the first exchange may be empty."""
    first: Message = {"role": role, "content": "The greeting of a shop."}
    said = [(first,), ({"role": "user", "content": "I like tea."}, {"role": "assistant", "content": "Noted."})]
    exchanges = tuple(Exchange(messages, tuple({} for _ in messages)) for messages in said)
    outcome, _ = measure(Transcript("shop", exchanges), 0, PRESETS[name], settings(words))
    assert outcome.failure == ""


def test_what_was_learnt_beforehand_is_reported_at_once(transcript: Transcript, words: TextCounter) -> None:
    """Its three exchanges need no work; each of the two questions does."""
    step = LearntStep(watermark=0, changes={}, spent=Sum(calls=4))
    state = LearntState(options={}, name="vector-retriever", steps=(step,))
    variant = dataclasses.replace(PRESETS["vector-retriever"], learnt=state)
    steps: list[int] = []
    found, timing = measure(transcript, 0, variant, settings(words), progress=steps.append)
    assert sum(steps) == steps_in(transcript)
    assert (found.save.calls, timing) == (4, Timing("vector-retriever"))


def test_messages_are_stored_with_the_dates_of_their_sessions(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run today stores what a run next year stores."""
    times: set[datetime] = set()

    class Watched(InMemoryStore):
        def __init__(self, *, clock: Callable[[], datetime]) -> None:
            super().__init__(clock=lambda: times.add(now := clock()) or now)

    monkeypatch.setattr("memzoo.benchmarks.measure.measuring.InMemoryStore", Watched)
    measured("window")
    assert times == {datetime(2026, 3, 2, 9, 15, tzinfo=UTC)}


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_has_no_date_is_told_without_one(
    name: str, transcript: Transcript, words: TextCounter, rules: ChatFunction
) -> None:
    """Neither a prompt nor a view of an undated conversation has the date that stands in for clocks, of any memory."""
    asked: list[object] = []

    def overheard(messages: list[Message]) -> Any:
        asked.append(messages)
        return rules(messages)

    undated = dataclasses.replace(
        transcript, exchanges=tuple(dataclasses.replace(one, date=None) for one in transcript.exchanges)
    )
    for talk, dates in ((transcript, r"2 March 2026"), (undated, r"January|2000|unknown")):
        asked.clear()
        # The smaller budget is for the summary buffer, which asks nothing else.
        measure(talk, 0, PRESETS[name], settings(words, overheard))
        found, _ = measure(talk, 0, PRESETS[name], settings(words, overheard, 500))
        told = re.findall(dates, str((asked, [answer.shown for answer in found.budgets[500].answers])))
        assert bool(told) == (talk is transcript and name in _DATED)


# They tell the day in what they show, or in what they ask.
_DATED = {"summary", "summary-buffer", "entity", "vector-retriever", "knowledge-graph"}


def test_progress_is_reported_for_each_exchange_and_question(transcript: Transcript, words: TextCounter) -> None:
    """As often as was promised."""
    steps: list[int] = []
    measure(transcript, 0, PRESETS["window"], settings(words), progress=steps.append)
    assert sum(steps) == steps_in(transcript) == 5


def test_progress_goes_on_through_all_budgets(transcript: Transcript, words: TextCounter) -> None:
    """A memory that is run once for each of two budgets reports in both runs, and no more in all."""
    steps: list[int] = []
    said: list[int] = []

    def model(_: object) -> str:
        said.append(sum(steps))
        return "A summary."

    variant = PRESETS["summary-buffer"]
    assert variant.options_at(4) != variant.options_at(8)
    measure(transcript, 0, variant, settings(words, model, 4, 8), progress=steps.append)
    assert sum(steps) == steps_in(transcript)
    # Were the first run silent, all its calls would come before the first step.
    assert said.count(0) < len(said) / 2


def test_the_last_step_is_told_when_all_is_done(transcript: Transcript, words: TextCounter) -> None:
    """No model is asked any more, at no budget, when the bar is full."""
    steps: list[int] = []
    said: list[int] = []

    def model(_: object) -> str:
        said.append(sum(steps))
        return "A summary."

    talk = dataclasses.replace(transcript, questions=())
    measure(talk, 0, PRESETS["summary-buffer"], settings(words, model, 4, 8), progress=steps.append)
    assert (said[-1], sum(steps)) == (2, 3)


def test_model_backed_memories_get_the_model(measured: Measured) -> None:
    """Every strategy runs with a function as its model."""
    for name in STRATEGIES:
        assert measured(name).exchanges == 3


def long_talk(exchanges: int) -> Transcript:
    """A conversation of any length, each exchange a little different."""
    said = [
        Exchange(
            (
                {"role": "user", "content": f"I met Ann {number} in town {number % 97}."},
                {"role": "assistant", "content": f"So you met {number % 89}."},
            ),
            ({}, {}),
        )
        for number in range(exchanges)
    ]
    return Transcript("long", tuple(said), (Question("Whom?", "Ann 3", ("I met Ann 3 in town 3.",)),))


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python are called, which no other program on the machine can change."""
    with cProfile.Profile(builtins=False) as profile:
        work()
    return sum(one.callcount for one in profile.getstats())


def facts_and_notes(messages: list[Message]) -> str:
    """A model that always finds something new: each exchange has a person of its own, and all of them know the user."""
    text = messages[-1]["content"]
    task = text.split(".", 1)[0].removeprefix("Task: ")
    last = re.findall(r"Ann \d+", text)[-1:] or ["Ann"]
    replies = {"entity_notes": "{}: met by the user.", "triple_extraction": "user | met | {}\n{} | is in | town"}
    return {"summary": "A summary."}.get(task, replies.get(task, "{}")).replace("{}", last[0])


# What the shorter talk fills, too: up to its limits, what a view or a prompt shows grows with the talk.
FILLED = {"entity": {"max_token_limit": 50, "max_prompt_tokens": 1536}, "knowledge-graph": {"max_prompt_tokens": 1536}}


@pytest.mark.parametrize("name", [*STRATEGIES, "everything"])
def test_the_work_grows_with_the_conversation_and_not_with_its_square(name: str, words: TextCounter) -> None:
    """Four times as long is four times the work, and a little for the longer index."""
    common, variant = settings(words, facts_and_notes, 50), PRESETS[name]
    variant = dataclasses.replace(variant, options={**variant.options, **FILLED.get(name, {}), "learn_every": 1})
    measure(long_talk(10), 0, variant, common)
    short, long = (calls_of(lambda size=size: measure(long_talk(size), 0, variant, common)) for size in (30, 120))
    assert long < 5 * short


def long(transcript: Transcript, exchanges: int) -> Transcript:
    """A conversation of so many exchanges, without questions."""
    return dataclasses.replace(transcript, exchanges=transcript.exchanges[:1] * exchanges, questions=())


def test_all_of_a_long_conversation_is_loaded_eight_times_evenly_spread(
    transcript: Transcript, words: TextCounter
) -> None:
    """Of 17 exchanges at each third one, and at the last."""
    _, timing = measure(long(transcript, 17), 0, PRESETS["everything"], settings(words))
    assert timing.loads == 0
    _, timing = measure(long(transcript, 17), 0, PRESETS["buffer"], settings(words))
    assert timing.loads == 7


def test_a_memory_that_asks_no_model_is_loaded_two_hundred_times_evenly_spread(
    transcript: Transcript, words: TextCounter
) -> None:
    """Of 200 exchanges at each; of 201 at each second one, and only these count for what is shown."""
    for exchanges, loaded in ((200, range(1, 201)), (201, range(1, 202, 2))):
        found, timing = measure(long(transcript, exchanges), 0, PRESETS["window"], settings(words, "offline", 1_000))
        assert timing.loads == found.budgets[1_000].loads == len(loaded)
        # Nothing at the first, one exchange of 11 words at the second, from the sixth on five of them.
        assert found.budgets[1_000].tokens == sum(11 * min(number - 1, 5) for number in loaded)


def test_a_memory_that_asks_a_model_at_loads_is_loaded_each_time(transcript: Transcript, words: TextCounter) -> None:
    """As long as the model answers; after ten failures in a row, at 200 evenly spread, as where no load asks."""

    def fails(_messages: object) -> str:
        raise ConnectionError("down")

    talk, asking = long(transcript, 420), dataclasses.replace(PRESETS["entity"], options={"ask_at_load": True})
    _, answered = measure(long(transcript, 210), 0, asking, settings(words, lambda _: "NONE"))
    _, failed = measure(talk, 0, asking, settings(words, fails))
    _, saving = measure(talk, 0, PRESETS["summary"], settings(words, lambda _messages: "Something."))
    assert answered.loads == 210
    assert 140 <= failed.loads <= 160
    assert saving.loads == 141


def test_nothing_takes_no_time() -> None:
    """What was not loaded and not saved changes no mean."""
    assert Timing("a").milliseconds == (0, 0)
    assert (Timing("a", 1.0, 1, 2.0, 1) + Timing("a")).milliseconds == (1000, 2000)


def test_a_course_has_at_most_a_hundred_points(transcript: Transcript, words: TextCounter) -> None:
    """Of 101 exchanges each second one, and the last."""
    found, _ = measure(long(transcript, 101), 0, PRESETS["summary"], settings(words, lambda _messages: "Something."))
    assert [number for number, _ in found.budgets[BUDGET].course] == [*range(1, 101, 2), 101]


@pytest.mark.parametrize("name", ["window", "buffer"])
def test_progress_is_told_in_steps(name: str, transcript: Transcript, words: TextCounter) -> None:
    """One for each exchange and each question, whenever it is asked."""
    first, *others = transcript.questions
    talk = dataclasses.replace(transcript, questions=(dataclasses.replace(first, asked_after=1), *others))
    steps: list[int] = []
    measure(talk, 0, PRESETS[name], settings(words), progress=steps.append)
    assert steps == [1] * steps_in(talk)


def test_a_question_without_an_answer_is_put_to_no_judge(transcript: Transcript) -> None:
    """Nobody could tell whether the answer is right."""
    asked: list[object] = []

    def answer(messages: object) -> str:
        asked.append(messages)
        return "right"

    opinion = Judge(as_model(answer), as_model(answer)).judge(Question("Why?"), [], transcript)
    assert (opinion.right, opinion.reply, asked) == (None, "", [])


@pytest.mark.parametrize("fails", [True, False], ids=["fails", "says nothing"])
def test_without_a_reply_no_judge_is_asked(fails: bool, transcript: Transcript) -> None:  # noqa: FBT001
    """The call of the model that failed, or said nothing, is counted."""

    def silent(_messages: object) -> str:
        if fails:
            raise TimeoutError
        return ""

    def judging(_messages: object) -> str:
        raise AssertionError("there is nothing to judge")

    opinion = Judge(as_model(silent), as_model(judging)).judge(transcript.questions[0], [], transcript)
    assert (opinion.reply, opinion.right, opinion.spent.calls) == ("", None, 1)


def test_a_judge_that_fails_marks_nothing(transcript: Transcript) -> None:
    """Nobody can tell whether the answer is right; both calls are counted."""

    def judging(_messages: object) -> str:
        raise TimeoutError

    opinion = Judge(as_model(lambda _messages: "Tom"), as_model(judging)).judge(transcript.questions[0], [], transcript)
    assert (opinion.reply, opinion.right, opinion.spent.calls) == ("Tom", None, 2)


def test_a_counter_that_has_to_estimate_says_so(vocabulary: Vocabulary) -> None:
    """Where tiktoken has no vocabulary, the counter's name in reports is that of the estimate."""
    vocabulary.serve(up=False)
    with pytest.warns(UserWarning, match="tokens are estimated"):
        assert named_counter("gpt-4o").name == "approximate"


@pytest.mark.parametrize(
    ("name", "keep", "kept"), [("buffer", True, True), ("buffer", False, False), ("everything", True, False)]
)
def test_what_was_shown_is_kept_where_it_is_wanted(
    name: str,
    keep: bool,  # noqa: FBT001
    kept: bool,  # noqa: FBT001
    transcript: Transcript,
    words: TextCounter,
) -> None:
    """Never all that was said: that would be the whole conversation for each question."""
    found, _ = measure(transcript, 0, PRESETS[name], settings(words), keep_views=keep)
    assert {answer.shown is not None for answer in found.budgets[BUDGET].answers} == {kept}
