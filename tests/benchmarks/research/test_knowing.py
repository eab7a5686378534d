"""How much of what a model's replies taught is shown, and what each part of the search gives to it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research import knowing
from memzoo.benchmarks.research.__main__ import app
from tests.benchmarks.research.test_strong_model import answered, rows


def test_what_was_learnt_anew_is_searched_in_each_way(
    tmp_path: Path, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--learnt` each talk with replies has a table: a row for each way to search, and what they are paid."""

    def short(_locomo: Path) -> Transcript:
        return transcript

    monkeypatch.setattr(knowing, "TALKS", {"zh": short, "bundled": short})
    (first, *_) = [one for one in transcript.measured if one.answer]
    answered(tmp_path / "zh", transcript, "knowledge-graph", f"{first.text} | has the answer | {first.answer}")
    done = CliRunner().invoke(app, ["knowing", "--learnt", str(tmp_path), "--budgets", "500"])
    assert done.exit_code == 0, done.output
    found = rows(done.output)
    assert set(found) == {*knowing.VARIANTS, "at random", "with the answer at hand"}
    assert float(found["with the answer at hand"][0].split()[0]) >= float(found["as shipped"][0].split()[0])
    share, most, paid = found["own words alone"]
    assert float(share.split()[0]) > 0
    assert 0 < float(paid) <= float(most) <= 500
    assert done.output.count("paid at 0.1") == 1


def test_says_that_a_folder_has_no_replies(tmp_path: Path) -> None:
    """A folder without replies ends the command with what would be right."""
    done = CliRunner().invoke(app, ["knowing", "--learnt", str(tmp_path)])
    assert (done.exit_code, "no replies" in done.output) == (1, True)
