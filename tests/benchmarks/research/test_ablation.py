"""The command that measures the search over messages with each weight set to 0."""

import pkgutil
import re
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.ablation import OFF, PARTS, share_shown
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.memories.search.weights import Weights


def test_a_search_without_a_weight_shows_less() -> None:
    """Of two messages for which there is no room together, the one of the month is shown if months count."""
    said = [(5, "The boat lies in Oslo."), (6, "My white boat of oak lies in Bergen."), (7, "It rained.")]
    exchanges = [
        Exchange(({"role": "user", "content": text},), ({},), datetime(2026, month, 1, tzinfo=UTC))
        for month, text in [*said, (8, "It rained."), (9, "It rained.")]
    ]
    question = Question("Where did my white boat of oak lie in May?", "Oslo", (said[0][1],), "one")
    talk = Transcript("Boats", tuple(exchanges), (question,), "User", "Assistant")
    shares = [share_shown([talk], one, [24], named_counter("approximate")) for one in (Weights(), Weights(month=0))]
    assert shares == [1.0, 0.0]


@pytest.mark.parametrize(("option", "known"), [("--off", "own, around"), ("--sets", "zh, en")])
def test_names_what_is_known(option: str, known: str) -> None:
    """An unknown weight or set is named, and those that are known."""
    done = CliRunner().invoke(app, ["ablation", option, "moods"])
    assert done.exit_code == 1
    assert f"{option} must be of {known}" in done.output
    assert "not 'moods'" in done.output.replace("\n", " ")


def test_words_alone_stand_beside_hashed_vectors() -> None:
    """A row for each set, with both shares and the interval of their difference."""
    done = CliRunner().invoke(app, ["hashed", "--sets", "bundled", "--budgets", "300"])
    assert done.exit_code == 0, done.output
    assert re.search(
        r"^\| bundled \| 0\.\d{3} 0\.\d{3} \([+-]0\.\d{3} to [+-]0\.\d{3}\) \|$", done.output, re.MULTILINE
    )


def test_parts_are_those_of_the_search() -> None:
    """Each such part is one of the search's, by its name."""
    assert set(PARTS) <= set(OFF)
    for part in " ".join(parts for parts, _ in PARTS.values()).split():
        assert pkgutil.resolve_name(f"memzoo.memories.search.{part}") is not None
