"""What finding messages costs."""

import itertools

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import retrieval_cost
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.retrieval_cost import Growth, growth
from memzoo.benchmarks.research.speed_talk import talk
from tests.benchmarks.research.test_strong_model import rows


def test_growth_has_a_line_for_each_length() -> None:
    """Medians of what the timer says, for each length in order."""
    ticks = itertools.count()
    costs = growth([10, 4], samples=2, timer=lambda: next(ticks) / 1000)
    assert [(cost.messages, cost.save, cost.load) for cost in costs] == [
        (4, pytest.approx(1.0), pytest.approx(1.0)),
        (10, pytest.approx(1.0), pytest.approx(1.0)),
    ]


def test_made_up_talk_is_the_same_in_every_run() -> None:
    """An exchange is a message of the user and one of the assistant."""
    first, again = (list(itertools.islice(talk(), 3)) for _ in range(2))
    assert first == again
    assert [message["role"] for message in first[0]] == ["user", "assistant"]


def test_the_command_prints_costs_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """As figures and as a ratio."""

    def costs(_: object) -> list[Growth]:
        return [Growth(100, 2.0, 4.0), Growth(1000, 3.0, 9.0)]

    monkeypatch.setattr(retrieval_cost, "growth", costs)
    done = CliRunner().invoke(app, ["retrieval-cost"])
    assert done.exit_code == 0, done.output
    assert rows(done.output)["1,000"] == ["3.00", "9.00", "1.5"]
