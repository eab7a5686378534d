"""The table, the results, the timings."""

import json
import logging
from pathlib import Path

import pytest
from rich.console import Console

from memzoo.benchmarks import Comparison, TextCounter, Transcript, compare
from memzoo.benchmarks.report.reporting import results, table, timings, write_report
from memzoo.memories.models.chat import ChatFunction
from memzoo.stores import Message


@pytest.fixture
def comparison(transcript: Transcript, words: TextCounter, rules: ChatFunction) -> Comparison:
    """All strategies in the short conversation."""
    return compare([transcript], [], model=rules, budget=14, counter=words, prices=(2.0, 8.0))


def printed(comparison: Comparison, width: int = 100) -> str:
    """The table as a terminal shows it."""
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        console.print(table(comparison))
    return captured.get()


class TestTable:
    """What the terminal shows."""

    def test_each_scenario_has_a_line_framed_by_the_baselines(self, comparison: Comparison) -> None:
        """In the order of the scenarios."""
        lines = printed(comparison).splitlines()
        names = [row.scenario.name for row in comparison.rows]
        assert [line.split()[0] for line in lines if line.split() and line.split()[0] in names] == names

    def test_it_fits_a_terminal_of_80_columns(self, comparison: Comparison) -> None:
        """No cell is broken or cut off."""
        text = printed(comparison, width=80)
        assert max(map(len, text.splitlines())) <= 80
        assert "…" not in text
        assert "1.00+1.00" in text

    def test_it_says_what_was_measured_and_how(self, comparison: Comparison) -> None:
        """Transcript, budget, counter, model, and what was left out."""
        text = printed(comparison)
        for note in ("transcript: Cat & boat (3 exchanges, 2 questions)", "budget: 14 tokens", "counted by: words"):
            assert note in text
        assert "model: answer" in text
        assert "Not asked, because they have no true answer: 1 adversarial questions." in text

    def test_the_offline_model_is_called_what_it_is(self, transcript: Transcript, words: TextCounter) -> None:
        """Nobody shall take its figures for those of a language model."""
        text = printed(compare([transcript], ["window"], model="offline", budget=14, counter=words), width=140)
        assert "rules, not a language model; recall of model-backed strategies is a floor" in text

    def test_a_title_is_not_markup(self, transcript: Transcript, words: TextCounter) -> None:
        """A transcript cannot paint the terminal."""
        named = Transcript("[red]x[/red]", transcript.exchanges)
        assert "[red]x[/red]" in printed(compare([named], ["window"], model="offline", budget=14, counter=words))

    def test_a_failure_is_told(
        self, transcript: Transcript, words: TextCounter, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The line says failed, the notes say why."""

        def broken(messages: list[Message]) -> str:
            raise TimeoutError("no answer")

        caplog.set_level(logging.CRITICAL, "memzoo")
        text = printed(compare([transcript], ["summary"], model=broken, budget=14, counter=words), width=200)
        assert "summary    failed" in text
        assert "summary failed: ModelError: llm 'broken' failed" in text


class TestResults:
    """What other programs read."""

    def test_two_runs_give_the_same_bytes(
        self, transcript: Transcript, words: TextCounter, rules: ChatFunction, tmp_path: Path
    ) -> None:
        """Neither the time nor the place of a run leaves a trace, in the results or in the page but for its timings."""
        written: list[bytes] = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            write_report(compare([transcript], [], model=rules, budget=14, counter=words), tmp_path / name)
            written.append((tmp_path / name / "results.json").read_bytes())
            assert str(tmp_path).encode() not in written[-1]
        assert written[0] == written[1]

    def test_keys_are_sorted(self, comparison: Comparison, tmp_path: Path) -> None:
        """So that two files can be compared by eye."""
        write_report(comparison, tmp_path)
        text = (tmp_path / "results.json").read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def test_they_say_for_each_question_what_each_strategy_found(self, comparison: Comparison) -> None:
        """Recall and answers by strategy."""
        first = results(comparison)["questions"][0]
        assert (first["question"], first["recall"]["buffer"], first["recall"]["everything"]) == (
            "What is my cat called?",
            0,
            1,
        )
        assert first["answer_found"]["summary"] is True

    def test_they_hold_what_the_table_was_made_from(self, comparison: Comparison) -> None:
        """Score, tokens by exchange, calls, cost."""
        buffer = results(comparison)["strategies"]["buffer"]
        assert (buffer["recall"], buffer["all_evidence"], buffer["answers_found"]) == (0.5, 0.5, 0.5)
        assert buffer["tokens_shown"]["by_exchange"] == [[0, 11, 12]]
        assert buffer["cost"] == {"reading": round(23 * 2e-6, 6), "upkeep": 0}
        assert results(comparison)["strategies"]["summary"]["upkeep"]["save"]["calls"] == 3

    def test_timings_are_apart(self, comparison: Comparison) -> None:
        """Seconds stand nowhere else."""
        assert set(timings(comparison)) == {row.scenario.name for row in comparison.rows}
        assert "seconds" not in json.dumps(results(comparison))
