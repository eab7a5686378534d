"""What finding messages costs."""

import itertools

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import retrieval_cost
from memzoo.benchmarks.research.retrieval_cost import Growth, Tenancy, growth, talk, tenancy


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


def test_a_collection_for_each_has_more_files() -> None:
    """Both arrangements are measured, each in a process of its own."""
    together, apart = tenancy(2, vectors=3)
    assert together.files < apart.files
    assert together.search > 0


def test_the_command_prints_both_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs by length, as figures and as a ratio, and both arrangements in Chroma."""

    def costs(_: object) -> list[Growth]:
        return [Growth(100, 2.0, 4.0), Growth(1000, 3.0, 9.0)]

    def kept(_: object) -> list[Tenancy]:
        return [Tenancy("together", 1.0, 2.0, 3.0, 4, 5.0)]

    monkeypatch.setattr(retrieval_cost, "growth", costs)
    monkeypatch.setattr(retrieval_cost, "tenancy", kept)
    done = CliRunner().invoke(retrieval_cost.app, [])
    assert done.exit_code == 0, done.output
    assert "1.5" in done.output
    assert "together" in done.output
