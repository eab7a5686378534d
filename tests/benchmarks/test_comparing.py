"""All strategies side by side."""

import logging

import pytest

from memzoo.benchmarks import Comparison, TextCounter, Transcript, compare
from memzoo.benchmarks.measure.comparing import Row, total_steps
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Message
from memzoo.stores.errors import OptionError


def row_of(comparison: Comparison, name: str) -> Row:
    """The row of a scenario."""
    return next(row for row in comparison.rows if row.scenario.name == name)


@pytest.fixture
def comparison(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Comparison:
    """All strategies in two copies of the short conversation."""
    return compare([transcript, transcript], [], model=rules, budget=14, counter=words, prices=(2.0, 8.0))


class TestAggregation:
    """Several conversations become one row."""

    def test_recall_is_the_mean_over_all_questions(self, comparison: Comparison) -> None:
        """Two conversations with two questions each are four questions."""
        score = row_of(comparison, "buffer").score
        assert (score.questions, score.recall, score.complete, score.answers, score.tokens) == (4, 0.5, 0.5, 0.5, 10)

    def test_tokens_are_means(self, comparison: Comparison) -> None:
        """Over the exchanges, and over the conversations' ends."""
        row = row_of(comparison, "everything")
        assert (row.tokens, row.tokens_at_end) == ((0 + 11 + 23) / 3, 23)

    def test_calls_are_sums(self, comparison: Comparison) -> None:
        """Of all exchanges; questions are apart."""
        row = row_of(comparison, "entity")
        assert (row.load.calls, row.save.calls, row.upkeep.calls, row.asking.calls) == (6, 6, 12, 4)
        assert row.per_exchange(row.upkeep.calls) == 2

    def test_categories_are_scored_apart(self, comparison: Comparison) -> None:
        """The buffer knows what is new and not what is old."""
        scores = comparison.by_category(row_of(comparison, "buffer"))
        assert {name: (score.questions, score.recall) for name, score in scores.items()} == {
            "new": (2, 1),
            "old": (2, 0),
        }

    def test_the_best_are_those_with_the_highest_recall(self, comparison: Comparison) -> None:
        """Baselines do not compete."""
        assert [row.scenario.name for row in comparison.best] == ["vector-retriever"]


def test_reading_costs_what_is_shown(comparison: Comparison) -> None:
    """One view for each exchange, at the price of input."""
    cost = row_of(comparison, "everything").cost((2.0, 8.0))
    assert (cost.upkeep, cost.reading, cost.total) == (0, 2 * 34 * 2e-6, 2 * 34 * 2e-6)


def test_a_strategy_that_fails_takes_no_other_with_it(
    transcript: Transcript, words: TextCounter, caplog: pytest.LogCaptureFixture
) -> None:
    """Its row says why it failed."""

    def broken(messages: list[Message]) -> str:
        raise TimeoutError("no answer")

    caplog.set_level(logging.CRITICAL, "memzoo")
    found = compare([transcript], ["window", "summary"], model=broken, budget=14, counter=words)
    assert [row.scenario.name for row in found.completed] == ["none", "window", "everything"]
    assert "no answer" in row_of(found, "summary").error
    assert row_of(found, "window").score.recall == 0.5


def test_a_fault_in_a_strategy_takes_no_other_with_it(
    transcript: Transcript, words: TextCounter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Even an error that nobody foresaw; its traceback is logged."""

    def faulty(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("memzoo.memories.strategies.vector_retriever.VectorStoreRetrieverMemory.view", faulty)
    found = compare([transcript], ["vector-retriever"], model="offline", budget=14, counter=words)
    assert [row.scenario.name for row in found.completed] == ["none", "everything"]
    assert "vector-retriever could not be measured" in caplog.text
    assert "Traceback" in caplog.text


def test_a_conversation_without_questions_has_no_recall(transcript: Transcript, words: TextCounter) -> None:
    """There is nothing to take a mean of."""
    silent = Transcript(transcript.title, transcript.exchanges)
    score = row_of(compare([silent], ["window"], model="offline", budget=14, counter=words), "window").score
    assert (score.questions, score.recall, score.complete, score.answers, score.tokens) == (0, None, None, None, None)


def test_progress_names_the_strategy(transcript: Transcript, words: TextCounter) -> None:
    """Each strategy takes as many steps as was promised."""
    steps: dict[str, int] = {}

    def advance(name: str, count: int) -> None:
        steps[name] = steps.get(name, 0) + count

    compare([transcript], ["window"], model="offline", budget=14, counter=words, progress=advance)
    assert steps == dict.fromkeys(["none", "window", "everything"], total_steps([transcript]))


@pytest.mark.parametrize(("count", "budget"), [(0, 14), (1, 0)])
def test_nothing_to_compare_is_an_error(count: int, budget: int, transcript: Transcript, words: TextCounter) -> None:
    """No conversation, or no budget."""
    with pytest.raises(OptionError, match="a transcript and a budget of at least 1 token"):
        compare([transcript] * count, [], model="offline", budget=budget, counter=words)
