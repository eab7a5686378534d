"""Corrections strewn into long talks, and what a view shows of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Exchange, Question, Transcript
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.updates import Case, outcomes, strew

START = datetime(2026, 3, 1, tzinfo=UTC)
OLD, NEW = "The project budget is $50,000.", "Make that $150,000."


def exchange(text: str, day: int = 0) -> Exchange:
    """What a user says on a day."""
    return Exchange(({"role": "user", "content": text},), ({},), START + timedelta(days=day))


TIMELINE = Transcript(
    "t",
    (exchange(OLD), exchange("How are you?"), exchange(NEW)),
    (Question("What is the budget?", evidence=("$150,000",), stale=("$50,000",)),),
)
TALK = Transcript("talk", tuple(exchange(f"We talked about thing {number}.", number // 4) for number in range(60)))


def test_the_correction_comes_sessions_later() -> None:
    """The statement stands in an earlier session than its correction; the same seed gives the same cases."""
    cases = strew([TIMELINE], [TALK], 20, 40, 1)
    assert cases == strew([TIMELINE], [TALK], 20, 40, 1)
    for case in cases:
        said = {str(one.messages[0]["content"]): one.said_at for one in case.exchanges}
        assert said[OLD] < said[NEW]
        assert len(case.exchanges) == 43


def test_what_is_shown_is_counted() -> None:
    """A search brings the correction along, in order; a window of the newest has neither or all."""
    cases = strew([TIMELINE], [TALK], 4, 40, 1)
    assert outcomes(cases, "vector-retriever", [300])[300] == {"both": 4, "both in order": 4}
    late = [Case((*cases[0].exchanges, exchange(OLD, 99)), "What is the budget?", (OLD,), (NEW,))]
    assert outcomes(late, "token-buffer", [16])[16]["stale"] == 1


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    """Without data, one line says which file is not there."""
    done = CliRunner().invoke(app, ["updates", str(tmp_path / "none.jsonl")])
    assert done.exit_code == 1
    assert "none.jsonl: nothing to measure on" in done.output.replace("\n", " ")


@pytest.mark.parametrize("budgets", ["many", ""])
def test_the_command_refuses_budgets_that_are_no_numbers(budgets: str, tmp_path: Path) -> None:
    """What is no whole number is named."""
    done = CliRunner().invoke(app, ["updates", str(tmp_path / "none.jsonl"), "--budgets", budgets])
    assert done.exit_code == 1
