"""The task of the public table."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import load_transcripts
from memzoo.benchmarks.research.lmeb import app, gain, rank_turns, recall
from memzoo.memories import HashEmbedder

TALK: dict[str, Any] = {
    "sample_id": "talk",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "My cat is called Tom."},
            {"speaker": "Ann", "dia_id": "D1:2", "text": "I live in Oslo."},
            {"speaker": "Bo", "dia_id": "D1:3", "text": "The boat costs 4,200 crowns."},
        ],
    },
    "qa": [
        {"question": "What is the cat called?", "answer": "Tom", "evidence": ["D1:1"], "category": 4},
        {"question": "What does the boat cost?", "answer": "4,200", "evidence": ["D1:3"], "category": 1},
        {"question": "Who has a zebra?", "evidence": ["D1:2"], "category": 5},
        {"question": "Who knows?", "answer": "nobody", "evidence": [], "category": 3},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A conversation in LoCoMo's layout."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([TALK]), encoding="utf-8")
    return path


def test_recall_counts_the_first_ten() -> None:
    """What comes eleventh is not found."""
    order = [str(place) for place in range(20)]
    assert recall(order, {"0", "9", "10", "x"}) == 0.5


def test_gain_falls_with_the_rank() -> None:
    """All wanted first is 1, whatever their order; what comes later counts less, and what comes eleventh nothing."""
    order = [str(place) for place in range(20)]
    assert gain(order, {"0", "1"}) == pytest.approx(1.0)
    assert gain(order, {"1"}) > gain(order, {"2"}) > gain(order, {"9"}) > gain(order, {"10"}) == 0


def test_each_turn_is_ranked_by_itself(file: Path) -> None:
    """The turns of one message apart; questions without a true answer are asked too, those without evidence are not."""
    found = {one.category: one for one in rank_turns(load_transcripts(file), HashEmbedder())}
    assert set(found) == {"single-hop", "multi-hop", "adversarial"}
    assert (found["single-hop"].recall, found["single-hop"].gain) == (1.0, 1.0)
    assert (found["multi-hop"].recall, found["multi-hop"].gain) == (1.0, 1.0)


def test_what_no_word_finds_is_not_found(file: Path) -> None:
    """With as little talk as this everything is near to everything; a conversation of an hour later is not."""
    talk: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))[0]
    talk["conversation"]["session_2_date_time"] = "9:00 pm on 9 May, 2023"
    talk["conversation"]["session_2"] = [{"speaker": "Bo", "dia_id": "D2:1", "text": "Zebras are striped."}]
    file.write_text(json.dumps([talk]), encoding="utf-8")
    done = CliRunner().invoke(app, [str(file), "--embedder", "none"])
    assert done.exit_code == 0, done.output
    (adversarial,) = (line.replace("|", " ").split() for line in done.output.splitlines() if "adversarial" in line)
    assert adversarial[1:3] == ["1", "0.000"]
    (mean,) = (line.replace("|", " ").split() for line in done.output.splitlines() if "mean of the categories" in line)
    assert mean[-2:] == ["0.667", "0.667"]


def test_the_command_says_what_its_figures_are_not(file: Path) -> None:
    """They are printed with the line that nobody may compare them with the public table."""
    done = CliRunner().invoke(app, [str(file)])
    assert "not comparable with the public table" in done.output
    absent = CliRunner().invoke(app, [str(file.with_name("none.json"))])
    assert absent.exit_code == 1
    assert "none.json: nothing to measure on" in absent.output.replace("\n", " ")
