"""Memories side by side."""

import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from memzoo.benchmarks import Comparison, Row, Settings, Transcript, compare
from memzoo.benchmarks.measure.counting import TextCounter
from memzoo.errors import MissingExtraError, ModelError, OptionError, TransferError
from memzoo.memories import BaseMemory, ChatModel, ConversationBufferWindowMemory
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Message
from memzoo.strategy import Log, State, View, text_of


def row_of(comparison: Comparison, name: str) -> Row:
    """The row of a memory."""
    return next(row for row in comparison.rows if row.memory.name == name)


def mean(found: Any) -> float | None:
    """The mean of an interval."""
    return found.mean if found else None


@pytest.fixture
def comparison(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Comparison:
    """The seven in two copies of the short conversation."""
    prices = {"*": (2.0, 8.0)}
    return compare(
        [transcript, transcript],
        settings=Settings(model=rules, budgets=[14], counter=words, prices=prices),
    )


class TestAggregation:
    """Several conversations become one row."""

    def test_figures_are_means_over_all_questions(self, comparison: Comparison) -> None:
        """Two conversations with two questions each are four questions."""
        figures = row_of(comparison, "buffer").budgets[14]
        found = [mean(one) for one in (figures.covered, figures.whole, figures.complete, figures.answers)]
        assert (figures.questions, found, figures.tokens_for_a_question) == (4, [0.5] * 4, 10)
        assert figures.covered is not None
        assert (figures.covered.low, figures.covered.high, figures.covered.count) == (0, 1, 4)

    def test_tokens_are_means(self, comparison: Comparison) -> None:
        """Over the exchanges, and over the conversations' ends."""
        figures = row_of(comparison, "everything").budgets[14]
        assert (figures.tokens, figures.tokens_at_end) == (pytest.approx((0 + 11 + 23) / 3, abs=1e-6), 23)

    def test_calls_are_sums(self, transcript: Transcript, words: TextCounter, rules: ChatFunction) -> None:
        """Of all exchanges; questions are apart, and a load asks only where it is to."""
        memories = ["entity:learn_every=1", "entity:ask_at_load=true,learn_every=1"]
        found = compare([transcript, transcript], memories, Settings(model=rules, budgets=[14], counter=words))
        calls = [
            (row.load.calls, row.save.calls, row.upkeep.calls, row.asking.calls)
            for row in (row_of(found, name) for name in memories)
        ]
        assert calls == [(0, 6, 6, 0), (6, 6, 12, 4)]
        assert row_of(found, "entity:learn_every=1").per_exchange(12) == 2

    def test_kinds_of_questions_are_scored_apart(self, comparison: Comparison) -> None:
        """The buffer knows what is new and not what is old."""
        kinds = row_of(comparison, "buffer").budgets[14].categories
        assert {name: (kind.questions, mean(kind.whole)) for name, kind in kinds.items()} == {
            "new": (2, 1),
            "old": (2, 0),
        }

    def test_questions_are_told_one_by_one(self, comparison: Comparison) -> None:
        """With what each memory showed."""
        questions = comparison.results.questions
        assert [one.question.transcript for one in questions] == [0, 0, 1, 1]
        assert questions[3].memories["buffer"][14].whole == 1
        assert questions[0].memories["window"][14].shown


def test_reading_costs_what_is_sent(comparison: Comparison) -> None:
    """One request for each exchange, at the price of input; a thousand exchanges.

    The three have 9, 30 and 48 tokens: words, and four for each message.
    """
    cost = row_of(comparison, "everything").costs[14]
    assert cost.upkeep == 0
    assert cost.reading == cost.total == pytest.approx((9 + 30 + 48) / 3 * 2e-3, abs=1e-6)


def test_upkeep_is_told_for_each_budget(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> None:
    """With its cost: a memory whose limit is the budget asks its model more often the less room it has."""
    settings = Settings(model=rules, budgets=[5, 1000], counter=words, prices={"*": (2.0, 8.0)})
    row = row_of(compare([transcript], ["summary-buffer"], settings), "summary-buffer")
    assert row.budgets[5].upkeep.calls > row.budgets[1000].upkeep.calls
    assert row.budgets[1000].upkeep == row.upkeep
    alone = row_of(compare([transcript], ["summary-buffer"], replace(settings, budgets=[5])), "summary-buffer")
    assert (row.budgets[5].upkeep, row.costs[5]) == (alone.upkeep, alone.costs[5])


def test_a_model_that_fails_leaves_its_row(transcript: Transcript, words: TextCounter) -> None:
    """With the share of failed saves, and what was shown meanwhile."""

    def broken(messages: list[Message]) -> str:
        raise TimeoutError("no answer")

    memories = ["window", "summary:learn_every=1"]
    found = compare([transcript], memories, Settings(model=broken, budgets=[14], counter=words))
    row = row_of(found, memories[1])
    assert (row.error, row.failed, mean(row.budgets[14].whole)) == ("", 1, 0.5)
    assert "no answer" in row.failure
    assert found.results.failed == [row]
    assert "summary:learn_every=1: the model failed in 100%" in found.verdict


def test_a_fault_in_a_strategy_takes_no_other_with_it(
    transcript: Transcript, words: TextCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even an error that nobody foresaw."""

    def faulty(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("memzoo.memories.strategies.vector_retriever.VectorStoreRetrieverMemory.view", faulty)
    found = compare([transcript], ["vector-retriever", "window"], Settings(budgets=[14], counter=words))
    assert row_of(found, "vector-retriever").error == "ZeroDivisionError: by nothing"
    assert row_of(found, "window").budgets
    assert found.table()[2]["error"].startswith("ZeroDivisionError")


def test_a_memory_of_ones_own_whose_loads_fail_at_the_model_is_no_memory_that_shows_nothing(
    transcript: Transcript, words: TextCounter
) -> None:
    """Its row says what failed; no figure of it stands beside those of others."""

    class Failing(ConversationBufferWindowMemory):
        async def view(self, log: Log, state: State, query: str | None) -> View:
            raise ModelError("no answer")

    found = compare([transcript], {"mine": Failing}, Settings(budgets=[14], counter=words))
    assert row_of(found, "mine").error == "ModelError: no answer"
    assert not row_of(found, "mine").budgets


def test_a_conversation_without_questions_has_no_recall(transcript: Transcript, words: TextCounter) -> None:
    """There is nothing to take a mean of, and the verdict says so."""
    silent = Transcript(transcript.title, transcript.exchanges)
    found = compare([silent], ["window"], Settings(draft=False, budgets=[14], counter=words))
    figures = row_of(found, "window").budgets[14]
    assert (figures.questions, figures.covered, figures.answers, figures.tokens_for_a_question) == (0, None, None, None)
    assert found.verdict.startswith("There are no questions")


class TestWhatIsCompared:
    """Names with options, and functions."""

    def test_variants_stand_beside_each_other(self, transcript: Transcript, words: TextCounter) -> None:
        """Two of one strategy have different figures."""
        found = compare([transcript], ["window:k=1", "window:k=2"], Settings(budgets=[100], counter=words))
        tokens = [row.budgets[100].tokens_at_end for row in found.rows]
        assert [row.memory.name for row in found.rows] == ["none", "window:k=1", "window:k=2", "everything"]
        assert tokens == [0, 12, 23, 23]

    def test_a_function_makes_a_memory(self, transcript: Transcript, words: TextCounter) -> None:
        """Any memory can be compared under a name of one's own."""

        def mine(**common: Any) -> BaseMemory:
            return ConversationBufferWindowMemory(k=1, **common)

        found = compare([transcript], {"mine": mine, "theirs": "window:k=2"}, Settings(budgets=[100], counter=words))
        assert [row.budgets[100].tokens_at_end for row in found.rows] == [0, 23, 12, 23]
        assert {row.memory.name for row in found.rows} == {"none", "mine", "theirs", "everything"}

    def test_a_function_that_makes_something_else_is_refused(self, transcript: Transcript) -> None:
        """Before anything runs."""

        def three(**_common: Any) -> Any:
            return 3

        with pytest.raises(OptionError, match="mine: its factory made 3; it must make a BaseMemory"):
            compare([transcript], {"mine": three})

    def test_embeddings_have_a_price(self, transcript: Transcript, words: TextCounter) -> None:
        """They are upkeep, and no calls of the model."""
        found = compare([transcript], ["vector-retriever"], Settings(budgets=[14], counter=words))
        row = row_of(found, "vector-retriever")
        assert row.upkeep.calls == 0


class TestTheResult:
    """What one can do with it."""

    def test_it_is_a_table(self, comparison: Comparison) -> None:
        """A record for each memory and budget."""
        records = comparison.table()
        assert [one["memory"] for one in records] == [row.memory.name for row in comparison.rows]
        assert records[1]["covered"] == 0.5

    def test_pandas_has_it_if_it_is_there(self, comparison: Comparison) -> None:
        """A data frame with a line for each record."""
        pandas = pytest.importorskip("pandas", reason="pandas is not installed here")
        assert isinstance(comparison.to_pandas(), pandas.DataFrame)

    def test_without_pandas_it_says_to_install_it(
        self, comparison: Comparison, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As every package that is missing."""
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingExtraError, match="pip install pandas"):
            comparison.to_pandas()

    def test_a_notebook_shows_it(self, comparison: Comparison) -> None:
        """The verdict and the table, without the frame of a page."""
        shown = comparison._repr_html_()  # pyright: ignore[reportPrivateUsage] - a notebook calls it
        assert "<table" in shown
        assert "vector-retriever" in shown
        assert "<html" not in shown

    def test_it_is_saved(self, comparison: Comparison, tmp_path: Path) -> None:
        """Results that can be read again, times, and two reports."""
        paths = comparison.save(tmp_path)
        assert sorted(path.name for path in paths) == ["report.html", "report.md", "results.json", "times.json"]
        again = type(comparison.results).model_validate_json((tmp_path / "results.json").read_text(encoding="utf-8"))
        assert again == comparison.results


class TestJudging:
    """A model answers from what was shown, and a judge marks the answer."""

    def test_answers_are_given_and_marked(self, transcript: Transcript, words: TextCounter) -> None:
        """Who shows the evidence gets the answer right; judge and words are held against each other."""

        def model(messages: list[Message]) -> str:
            prompt = messages[-1]["content"]
            if prompt.startswith("Task: compare_judge"):
                right, _, given = prompt.partition("<given_answer>")
                return "RIGHT" if "4200" in right and "4,200" in given else "WRONG"
            return "It costs 4,200 crowns." if "4,200" in prompt else "I do not know."

        found = compare([transcript], ["window:k=1"], Settings(model=model, judge=model, budgets=[14], counter=words))
        figures = row_of(found, "window:k=1").budgets[14]
        assert (mean(figures.judged), figures.agreement) == (0.5, 1)
        assert found.results.questions[1].memories["window:k=1"][14].reply == "It costs 4,200 crowns."
        assert row_of(found, "window:k=1").judging.calls == 4

    def test_prompts_can_be_replaced(self, transcript: Transcript, words: TextCounter) -> None:
        """Both of them."""
        seen: list[str] = []

        def model(messages: list[Message]) -> str:
            seen.append(messages[-1]["content"])
            return "right"

        prompts = {
            "compare_answer": "A {{ question }}{{ memory[:0] }}",
            "compare_judge": "J {{ reply }}{{ answer[:0] }}",
        }
        compare(
            [transcript], ["window"], Settings(model=model, judge=model, prompts=prompts, budgets=[14], counter=words)
        )
        assert set(seen) == {"A What is my cat called?", "A What does the boat cost?", "J right"}


class TestLimits:
    """Money that is not to be spent."""

    def test_it_ends_before_more_is_spent(self, transcript: Transcript, words: TextCounter, tmp_path: Path) -> None:
        """What was finished is kept, and with more money the run goes on."""
        settings = Settings(budgets=[14], counter=words, prices={"*": (1.0, 1.0)}, stop_at=0.001)
        found = compare([transcript], ["window", "summary"], settings, out=tmp_path)
        assert "might cost" in found.ended
        assert row_of(found, "window").exchanges == 3
        assert row_of(found, "summary").exchanges == 0
        again = compare([transcript], ["window", "summary"], replace(settings, stop_at=9), out=tmp_path)
        assert (again.ended, row_of(again, "summary").exchanges) == ("", 3)

    def test_it_holds_where_an_endpoint_reports_no_tokens(self, transcript: Transcript, words: TextCounter) -> None:
        """They are estimated from the texts; as free calls, they would never end."""
        calls: list[int] = []

        def silent(messages: list[Message]) -> str:
            calls.append(sum(len(text_of(message)) for message in messages) // 3 + 1000 // 3)
            return "A" * 1000

        settings = Settings(model=silent, budgets=[14], counter=words, prices={"*": (1.0, 1.0)}, stop_at=0.004)
        found = compare([transcript], ["summary:learn_every=1"], settings)
        assert "might cost" in found.ended
        assert 0 < sum(calls) / 1e6 <= 0.004

    def test_each_model_needs_a_price(self, transcript: Transcript, words: TextCounter) -> None:
        """A call without one would count as free; the rules are."""
        settings = Settings(budgets=[14], counter=words, prices={"m": (1.0, 1.0)}, stop_at=1)
        assert not compare([transcript], ["window"], settings).ended
        for memory, more in (("window", {"model": ChatModel("n", api_key="x")}), ("summary:model=n", {})):
            with pytest.raises(OptionError, match=r"the prices have none for 'n', only for 'm'; .* any other model"):
                compare([transcript], [memory], replace(settings, **cast("dict[str, Any]", more)))

    def test_a_limit_needs_prices(self) -> None:
        """Otherwise nobody knows what was spent."""
        with pytest.raises(OptionError, match="needs prices"):
            Settings(stop_at=1)


def test_questions_are_drafted_where_there_are_none(transcript: Transcript, words: TextCounter) -> None:
    """By rules, as the command has them, which the verdict says; nobody's own question is replaced."""
    silent = Transcript(transcript.title, transcript.exchanges)
    found = compare([silent], ["window"], Settings(budgets=[14], counter=words))
    assert found.results.talks.questions == found.results.talks.drafted > 0
    assert "drafted by rules" in found.verdict
    assert compare([silent, transcript], ["window"], Settings(budgets=[14], counter=words)).results.talks.drafted == 0
    assert (
        compare([silent], ["window"], Settings(draft=False, budgets=[14], counter=words)).results.talks.questions == 0
    )


@pytest.mark.parametrize(("count", "budgets", "jobs"), [(0, [14], 1), (1, [0], 1), (1, [], 1), (1, [14], 0)])
def test_nothing_to_compare_is_an_error(count: int, budgets: list[int], jobs: int, transcript: Transcript) -> None:
    """No conversation, no budget, nobody to work."""
    with pytest.raises(OptionError, match=r"(must|should) be"):
        compare([transcript] * count, ["window"], Settings(budgets=budgets), executor=jobs)


def test_a_file_is_understood_before_anything_runs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The first file too, of which the errors of each line are one error."""
    caplog.set_level(logging.CRITICAL, "memzoo")
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n" * 4, encoding="utf-8")
    steps: list[str] = []
    with pytest.raises(TransferError, match=r"line 1 is in none of the known formats: .*; and 3 more cannot be read"):
        compare(path, ["window"], progress=lambda name, _: steps.append(name))
    assert steps == []
