"""One strategy in one conversation."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from memzoo.benchmarks import SCENARIOS, TextCounter, Transcript
from memzoo.benchmarks.measure.measuring import Measurement, measure, steps_in
from memzoo.memories import STRATEGIES
from memzoo.memories.models.chat import ChatFunction, as_model
from memzoo.stores import InMemoryStore, Message
from memzoo.stores.errors import ModelError

Measured = Callable[..., Measurement]


@pytest.fixture
def measured(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Measured:
    """Measures a scenario in the short conversation, within a budget of 14 words."""

    def run(name: str, model: ChatFunction = rules, budget: int = 14) -> Measurement:
        ticks = itertools.count()
        return measure(
            transcript,
            SCENARIOS[name],
            model=as_model(model),
            budget=budget,
            counter=words,
            timer=lambda: float(next(ticks)),
        )

    return run


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
        assert [step.tokens for step in found.steps] == tokens
        assert [probe.recall for probe in found.probes] == recalls
        assert [probe.answer_found for probe in found.probes] == answers

    def test_what_a_question_was_shown_is_kept(self, measured: Measured) -> None:
        """The report can show it."""
        shown = measured("buffer").probes[0].shown
        assert shown == (("user", "The boat costs 4,200 crowns."), ("assistant", "That is a fair price."))

    def test_a_retriever_shows_what_fits_the_question(self, measured: Measured) -> None:
        """Both questions find evidence, though not all was shown."""
        found = measured("vector-retriever", budget=20)
        assert all(probe.recall > 0 for probe in found.probes)
        assert all(probe.tokens <= 20 for probe in found.probes)

    @pytest.mark.parametrize("name", [name for name, one in SCENARIOS.items() if one.cut])
    def test_it_is_never_over_the_budget(self, name: str, measured: Measured) -> None:
        """Neither at an exchange nor for a question."""
        found = measured(name)
        assert all(one.tokens <= 14 for one in (*found.steps, *found.probes))


class TestWhatIsSpent:
    """Model calls and time."""

    @pytest.mark.parametrize(
        ("name", "loads", "saves", "asking"),
        [
            ("buffer", [0, 0, 0], 0, 0),
            ("vector-retriever", [0, 0, 0], 0, 0),
            ("summary", [0, 0, 0], 1, 0),
            ("entity", [1, 1, 1], 1, 2),
            ("knowledge-graph", [0, 1, 1], 1, 2),
        ],
    )
    def test_calls_are_booked_where_they_belong(
        self, name: str, loads: list[int], saves: int, asking: int, measured: Measured
    ) -> None:
        """Loading, saving and asking are kept apart; a graph without facts is not asked about."""
        found = measured(name)
        assert [step.load.calls for step in found.steps] == loads
        assert [step.save.calls for step in found.steps] == [saves] * 3
        assert found.asking.calls == asking

    def test_time_is_taken_for_loading_and_for_saving(self, measured: Measured) -> None:
        """Each is one tick of a clock that ticks when it is read."""
        assert [(step.load_seconds, step.save_seconds) for step in measured("buffer").steps] == [(1, 1)] * 3


class TestModelFailures:
    """A model that fails now and then, or always."""

    def test_a_failed_save_is_made_up_for(self, rules: ChatFunction, measured: Measured) -> None:
        """Two failures are survived: the next load or save catches up."""
        calls = itertools.count()

        def shaky(messages: list[Message]) -> object:
            if next(calls) < 2:
                raise TimeoutError
            return rules(messages)

        found = measured("summary", shaky)
        assert found.failures == 1
        assert found.probes[0].answer_found

    def test_a_model_that_keeps_failing_ends_the_run(self, measured: Measured) -> None:
        """Nobody wants to pay for, or wait for, a thousand failures."""
        calls = itertools.count(1)

        def broken(messages: list[Message]) -> str:
            raise TimeoutError(next(calls))

        with pytest.raises(ModelError, match="TimeoutError"):
            measured("summary", broken)
        assert next(calls) <= 6


def test_messages_are_stored_with_the_dates_of_their_sessions(
    measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run today stores what a run next year stores."""
    times: set[datetime] = set()

    class Watched(InMemoryStore):
        def __init__(self, *, clock: Callable[[], datetime]) -> None:
            super().__init__(clock=lambda: times.add(now := clock()) or now)

    monkeypatch.setattr("memzoo.benchmarks.measure.measuring.InMemoryStore", Watched)
    measured("buffer")
    assert times == {datetime(2026, 3, 2, 9, 15, tzinfo=UTC)}


def test_progress_is_reported_for_each_exchange_and_question(transcript: Transcript, words: TextCounter) -> None:
    """As often as was promised."""
    steps: list[int] = []
    measure(
        transcript,
        SCENARIOS["window"],
        model=as_model("offline"),
        budget=14,
        counter=words,
        progress=steps.append,
    )
    assert sum(steps) == steps_in(transcript) == 5


def test_model_backed_strategies_get_the_model(measured: Measured) -> None:
    """Every strategy runs with a function as its model."""
    for name in STRATEGIES:
        assert len(measured(name).steps) == 3
