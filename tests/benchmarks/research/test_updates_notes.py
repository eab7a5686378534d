"""Whether notes and facts follow corrections, measured with a model by rule."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.updates_notes import Case, Outcome, cases, measure
from memzoo.benchmarks.research.updates_reader import reader

BUDGET = [
    ("user", "The project budget is $100."),
    ("assistant", "Noted. Budget set at $100."),
    ("user", "Make that $80."),
]


def timeline(track: str = "supersession_detection", said: list[tuple[str, str]] = BUDGET) -> dict[str, Any]:
    """A timeline as StateBench writes it."""
    truth = {"must_mention": ["$80"], "must_not_mention": ["$100"]}
    turns = [{"type": "conversation_turn", "speaker": speaker, "text": text} for speaker, text in said]
    asked = {"type": "query", "prompt": "What's the project budget?", "ground_truth": truth}
    return {"track": track, "events": [*turns, {"type": "state_write", "writes": []}, asked]}


def file_of(tmp_path: Path, *timelines: dict[str, Any]) -> Path:
    """A file of timelines."""
    path = tmp_path / "some.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in timelines), encoding="utf-8")
    return path


def test_reads_what_was_said_of_one_track(tmp_path: Path) -> None:
    """Other tracks, and what nobody said, are left out; a user message begins an exchange."""
    (case,) = cases(file_of(tmp_path, timeline(), timeline("supersession")))
    assert case == Case(
        "The project budget is ....", [BUDGET[:2], BUDGET[2:]], "What's the project budget?", ["$80"], ["$100"]
    )


@pytest.mark.parametrize("strategy", ["entity", "knowledge-graph"])
class TestMeasuring:
    """What a memory derived, against what was said."""

    def test_finds_the_correction(self, strategy: str, tmp_path: Path) -> None:
        """With a model that reads what it is shown, the new value is there and the old one is not."""
        (case,) = cases(file_of(tmp_path, timeline()))
        assert measure(case, strategy, reader) == Outcome(case.template, present=True, standing=False, unmarked=False)

    def test_finds_the_old_value_unmarked(self, strategy: str, tmp_path: Path) -> None:
        """Where the correction was not said, the old value stands unmarked and the new one is missing."""
        (case,) = cases(file_of(tmp_path, timeline(said=BUDGET[:2])))
        assert measure(case, strategy, reader) == Outcome(case.template, present=False, standing=True, unmarked=True)


def test_reports_by_template(tmp_path: Path) -> None:
    """The command counts for each strategy, with the offline rules and with the two readers."""
    result = CliRunner().invoke(app, ["updates-notes", str(file_of(tmp_path, timeline(), timeline()))])
    assert result.exit_code == 0
    assert result.output.count("The project budget") == 2
    totals = [line for line in result.output.splitlines() if line.startswith("| all")]
    # The offline rules, the reader, the reader that ends nothing; entity notes first.
    assert [[cell.strip() for cell in line.split("|")[4:6]] for line in totals] == [
        ["2 / 0 / 0", "2 / 0 / 0"],
        ["2 / 0 / 0", "2 / 2 / 0"],
    ]


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    """In one line, and nothing is measured."""
    result = CliRunner().invoke(app, ["updates-notes", str(tmp_path / "none.jsonl")])
    assert result.exit_code == 1
    assert "none.jsonl: nothing to measure on" in " ".join(result.output.split())
