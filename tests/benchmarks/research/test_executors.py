"""Many short conversations on each engine, and what a million would cost."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript, load_transcripts, sample_transcripts
from memzoo.benchmarks.research import executors
from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.batch_cost import simulate


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bundled conversation in place of the public sets."""

    def bundled(*_paths: Path) -> list[Transcript]:
        return sample_transcripts()

    monkeypatch.setattr(executors, "conversations", bundled)


def test_short_conversations_have_questions_with_evidence(tmp_path: Path):
    """Pieces of four exchanges first; what is asked of one stands in it."""
    talks = load_transcripts(executors.write_short_talks(tmp_path / "talks.jsonl", 30))
    assert {len(talk.exchanges) for talk in talks} == {4}
    assert len({talk.title for talk in talks}) == 30
    questions = [one for talk in talks for one in talk.questions]
    assert len(questions) > 30
    assert all(one.evidence for one in questions)


@pytest.mark.parametrize(
    ("engines", "killed", "told"),
    [("jobs,threads", 0, []), ("threads", 20, ["coordinator killed, the same bytes: True"])],
)
def test_engines_are_measured_and_killed(engines: str, killed: int, told: list[str]):
    """A row for each, with the digest of what was found; after kills it is the same."""
    pytest.importorskip("psutil", reason="psutil is not installed (it comes with the extra dask)")
    options = ["--count", "3", "--killed", str(killed), "--kills", "1", "--engines", engines]
    done = CliRunner().invoke(app, ["executors", *options])
    assert done.exit_code == 0, (done.output, done.exception)
    digests = re.findall(r"([0-9a-f]{12}) [|]$", done.output, re.MULTILINE)
    assert len(digests) == len(engines.split(","))
    assert len(set(digests)) == 1
    assert re.findall("coordinator killed.*", done.output) == told


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_no_engine_is_faster_than_its_parts(workers: int):
    """Neither than its workers together, nor than the one who hands out the work; with enough workers he is all."""
    units, each = [0.01, 0.5, 1.0], 0.002
    found = simulate(units, 3000, workers, each)
    assert found >= max(1000 * sum(units) / workers, 3000 * each)
    assert found <= 1000 * sum(units) / workers + 3000 * each + 2 * max(units)


def test_compare_and_upkeep_are_reckoned_with(monkeypatch: pytest.MonkeyPatch):
    """What few conversations take is measured with 1, 2 and 4 workers, and a million are reckoned from it."""
    monkeypatch.setattr("memzoo.benchmarks.research.batch_cost.Processes", ThreadPoolExecutor)
    done = CliRunner().invoke(app, ["batch-cost", "--talks", "3", "--latency", "0", "--workers", "1,1000"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert re.findall(r"^\*\*(\w+)\*\*$", done.output, re.MULTILINE) == ["compare", "upkeep"]
    assert re.findall(r"^\| (1|2|4) +\|", done.output, re.MULTILINE) == ["1", "2", "4", "1"] * 2
    assert len(re.findall(r"A unit takes [\d.]+ ms, the coordinator [\d.]+ ms for each", done.output)) == 2
