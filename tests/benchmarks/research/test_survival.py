"""What is left of rules, goals and facts when a talk goes on."""

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import survival
from memzoo.benchmarks.research.__main__ import app
from memzoo.memories import STRATEGIES


@pytest.mark.parametrize("name", STRATEGIES)
def test_all_that_is_pinned_survives(name: str) -> None:
    """With pins, each strategy still shows every statement of each kind."""
    found = survival.measure_survival(name, [1], pinned=True, budget=500)
    assert set(found[1].values()) == {1.0}
    assert set(found[1]) == {one.kind for one in survival.STATEMENTS}


def test_a_window_loses_what_is_not_pinned() -> None:
    """Without pins, a window shows none of them after a round."""
    assert set(survival.measure_survival("window", [1], pinned=False, budget=500)[1].values()) == {0.0}


def test_a_statement_is_told_by_all_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a statement is not enough."""
    halves = (survival.Statement("fact", ["Ingrid lives in Bergen."], ["ingrid", "oslo"]),)
    monkeypatch.setattr(survival, "STATEMENTS", halves)
    assert survival.measure_survival("buffer", [1], pinned=True, budget=100) == {1: {"fact": 0.0}}


def test_the_command_prints_both_tables() -> None:
    """Shares without and with pins by rounds, and by kind without pins."""
    done = CliRunner().invoke(app, ["survival", "window", "--rounds", "1,2", "--budget", "100"])
    assert done.exit_code == 0, done.output
    assert done.output.count(" / 100 |") == 2
    assert "By kind, after 2 rounds" in done.output
