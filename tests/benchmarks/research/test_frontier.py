"""What the weights of the search are worth."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from memzoo.benchmarks.research.frontier import AIMS, FACTORS, app, costs, multiples, verdicts
from memzoo.benchmarks.research.reweighing import Shares
from memzoo.memories.search.weights import Weights


def shares(*whole: float) -> list[Shares]:
    """What was shown for some questions."""
    return [Shares(one, one) for one in whole]


def test_the_frontier_has_the_shipped_point_and_five_others() -> None:
    """All differ, in what they cost for length and nothing else."""
    points = costs()
    assert points["shipped"] == Weights()
    assert len(set(points.values())) == len(points) >= 6
    assert len({(one.own, one.around, one.segment, one.speaker, one.asking) for one in points.values()}) == 1


def test_each_weight_is_multiplied_alone() -> None:
    """By each factor but 1; the others stay as shipped."""
    singles = multiples()
    assert singles["length", 2.0].length == 2 * Weights().length
    assert singles["length", 2.0].own == Weights().own
    assert {factor for _, factor in singles} == {factor for factor in FACTORS if factor != 1}


def test_the_point_that_loses_least_where_it_loses_most_comes_first() -> None:
    """One that is best on one file and bad on the other comes behind one that is good on both."""
    found = {
        "friends": {("shipped", 10): shares(0.8, 0.8), ("dear", 10): shares(0.5, 0.5), ("cheap", 10): shares(0.9, 0.9)},
        "work": {("shipped", 10): shares(0.4, 0.4), ("dear", 10): shares(0.5, 0.5), ("cheap", 10): shares(0.1, 0.1)},
    }
    judged = verdicts(found, 10)
    assert (judged[0].name, round(judged[0].worst, 6)) == ("shipped", 0.1)
    assert {one.name: round(one.worst, 6) for one in judged} == {"shipped": 0.1, "dear": 0.4, "cheap": 0.4}
    assert judged[0].differences["work"].mean == 0
    (cheap,) = (one for one in judged if one.name == "cheap")
    assert (cheap.differences["friends"].mean, cheap.differences["work"].mean) == (0.1, -0.3)


def test_a_loss_at_another_budget_counts_too() -> None:
    """What finds most with much room, and little with little, is not the point to take."""
    found = {
        "friends": {
            ("shipped", 10): shares(0.5),
            ("dear", 10): shares(0.2),
            ("shipped", 20): shares(0.8),
            ("dear", 20): shares(0.9),
        }
    }
    judged = verdicts(found, 20)
    assert [(one.name, round(one.worst, 6)) for one in judged] == [("shipped", 0.1), ("dear", 0.3)]
    assert judged[1].differences["friends"].mean == 0.1


def test_on_a_set_with_aims_a_loss_is_what_is_missing_from_them() -> None:
    """However much more another point finds there; sessions count as well as messages."""
    aim = AIMS["realmem", 500]
    found = {
        "realmem": {
            ("shipped", 500): [Shares(aim.whole, aim.sessions - 0.1)],
            ("dear", 500): [Shares(aim.whole - 0.05, 1.0)],
            ("dearer", 500): [Shares(1.0, 1.0)],
        }
    }
    assert [(one.name, round(one.worst, 6)) for one in verdicts(found, 500)[1:]] == [("dear", 0.05), ("shipped", 0.1)]


def test_the_command_prints_points_and_weights_and_draws_them(
    chat: dict[str, Any], saved: Callable[..., Path], tmp_path: Path
) -> None:
    """A table of the frontier, the point with the smallest worst loss, a line for each weight, and a picture."""
    done = CliRunner().invoke(app, [str(saved(chat)), "--budgets", "12", "--decide", "20", "--pictures", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "The smallest worst loss:" in done.output
    assert "| nothing " in done.output
    assert "talkative" in done.output
    picture = (tmp_path / "weights-chat.svg").read_text(encoding="utf-8")
    assert ET.fromstring(picture).tag.endswith("svg")  # noqa: S314 - it was made a line ago
    assert "talkative" in picture


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    """In one line, and nothing is measured."""
    done = CliRunner().invoke(app, [str(tmp_path / "none.json")])
    assert done.exit_code == 1
    assert "none.json: nothing to measure on" in done.output.replace("\n", " ")
