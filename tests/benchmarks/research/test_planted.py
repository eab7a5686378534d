"""The facts of a bundled conversation, at the beginning of another one."""

from pathlib import Path

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.transcripts import load_transcripts, sample_transcripts


def test_facts_stand_before_another_conversation(tmp_path: Path) -> None:
    """All marks whose answers the other one does not have, with the statements that must not be shown."""
    done = CliRunner().invoke(app, ["planted", "sample:zh", str(tmp_path / "planted.json"), "--exchanges", "50"])
    assert done.exit_code == 0, done.output
    (found,) = load_transcripts(tmp_path / "planted.json")
    (other,), source = sample_transcripts("zh"), sample_transcripts("survival")[0]
    assert [one.messages for one in found.exchanges[-50:]] == [one.messages for one in other.exchanges[:50]]
    assert [one.marks for one in found.exchanges[:-50]] == [
        one.marks for one in source.exchanges[: len(found.exchanges) - 50]
    ]
    assert {one.kind for one in found.unwanted} == {"superseded", "another person", "supposed"}


def test_a_conversation_that_is_too_short_is_refused(tmp_path: Path) -> None:
    """With the number of exchanges that it has."""
    done = CliRunner().invoke(app, ["planted", "sample:zh", str(tmp_path / "planted.json"), "--exchanges", "5000"])
    assert done.exit_code == 1
    assert "--exchanges must be at most" in done.output
