"""How far "answers" agrees with a reader."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.research import agreement
from memzoo.benchmarks.research.__main__ import app


def test_answers_agree_with_readers(tmp_path: Path) -> None:
    """Of the labels whose texts are in the project, nine in ten, and far more than by chance."""
    known, missing = agreement.labels(tmp_path)
    pairs = [(label.said, bool(answer_found(label.answer, [label.text]))) for label in known]
    assert len(known) >= 130
    assert sum(said == found for said, found in pairs) >= 0.9 * len(pairs)
    assert agreement.kappa(pairs) >= 0.8
    assert [Path(one).parent.name for one in missing] == ["locomo", "realmem"]


def test_labels_say_both_in_like_numbers() -> None:
    """Neither an always nor a never would agree with them."""
    lines = agreement._LABELS.read_text(encoding="utf-8").splitlines()  # pyright: ignore[reportPrivateUsage]
    said = [json.loads(line)["said"] for line in lines]
    assert len(said) == 200
    assert 80 <= sum(said) <= 120


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(True, True), (False, False)], 1),
        ([(True, False), (False, True)], -1),
        ([(True, True), (True, True), (True, False), (False, True), (False, False), (False, False)], 1 / 3),
        ([(True, True)], 1),
    ],
)
def test_kappa(pairs: list[tuple[bool, bool]], expected: float) -> None:
    """1 for agreement, 0 for chance, less for less."""
    assert agreement.kappa(pairs) == pytest.approx(expected)


def test_the_command_reads_what_is_beside_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of LoCoMo by conversation and turn, of RealMem by user and turn; what disagrees is printed."""
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "I moved to Bergen.", "blip_caption": "a harbour"}]
    talk = {"session_1": turns, "session_1_date_time": "1 pm on 7 May, 2023"}
    _write(tmp_path / "locomo", [{"sample_id": "t", "conversation": talk, "qa": [{"answer": "Bergen, 7 May 2023"}]}])
    question = {"id": "Q", "asked_at": [0, 1], "question": "?", "memories": ["【Pets】 User has a cat."]}
    said = [{"speaker": "User", "content": "Hi!"}, {"speaker": "Assistant", "content": "No pets."}]
    _write(tmp_path / "realmem", [{"user": "u", "sessions": [{"turns": said}], "questions": [question]}])
    labelled = [
        {"source": "locomo", "talk": "t", "question": 0, "shown": ["D1:1"], "said": True},
        {"source": "realmem", "talk": "u", "question": "Q", "shown": [[0, 0], [0, 1]], "said": True},
        {"source": "own", "question": "?", "answer": "Oslo", "text": "Oslo", "said": False},
    ]
    labels = tmp_path / "labels.jsonl"
    labels.write_text("\n".join(map(json.dumps, labelled)), encoding="utf-8")
    monkeypatch.setattr(agreement, "_LABELS", labels)
    output = CliRunner().invoke(app, ["agreement", "--data", str(tmp_path)]).output
    assert "| all        |     3 |  0.33 |" in output
    assert "found, not said: 'Oslo' in 'Oslo'" in output
    assert "said, not found: 'User has a cat.' in 'Hi!\\nNo pets.'" in output
    assert "Left out" not in output


def _write(folder: Path, content: object) -> None:
    folder.mkdir()
    (folder / "dev.json").write_text(json.dumps(content), encoding="utf-8")
