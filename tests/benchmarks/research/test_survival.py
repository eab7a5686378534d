"""What is left of rules, goals and facts when a talk goes on."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import survival
from memzoo.benchmarks.research.__main__ import app
from memzoo.memories import STRATEGIES, create_memory


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


def test_the_kit_is_given_what_a_memory_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The turns that the kit plants something in are pinned; later rounds go on with its other words."""

    def context(*given: object) -> tuple[object, ...]:
        return given

    kit = SimpleNamespace(CompactedContext=context)
    monkeypatch.setitem(sys.modules, "compaction_kit", kit)
    monkeypatch.setitem(sys.modules, "compaction_kit.compacted", kit)
    turns: list[Any] = [
        SimpleNamespace(role="user", text="Never push.", canary_id="safety-1"),
        *(SimpleNamespace(role="user", text=f"filler {number}", canary_id=None) for number in range(12)),
    ]
    compacting = survival.Compacting(create_memory("window", k=2), pins=True)
    assert compacting.compact(turns)[0].startswith("Never push.")
    text, name, number = compacting.compact([], 2)
    assert text.startswith("Never push.\nfiller 10\n")
    assert (name, number) == ("window", 2)


def test_a_missing_kit_is_named() -> None:
    """Who asks for the kit without having it is told what to install."""
    done = CliRunner().invoke(app, ["survival", "window", "--rounds", "1", "--budget", "100", "--kit"])
    assert done.exit_code
    assert "pip install compaction-conformance-kit" in done.output
