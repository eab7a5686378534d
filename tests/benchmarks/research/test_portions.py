"""The cost of learning in portions, as the documentation quotes it."""

from dataclasses import replace

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.portions import measure_portions
from memzoo.benchmarks.transcripts import sample_transcripts


def test_portions_make_fewer_calls_and_read_more() -> None:
    """Four exchanges a call cost a quarter of the calls; the prompts share their instructions."""
    (talk,) = sample_transcripts()
    talk = replace(talk, exchanges=talk.exchanges[:12], questions=())
    one, four = (measure_portions(talk, "summary", size) for size in (1, 4))
    assert (one.calls, four.calls, four.exchanges) == (12, 3, 12)
    assert four.sent < one.sent
    assert four.reading > one.reading
    assert one.shared / (one.calls - 1) > 350


def test_a_wrong_size_is_told_in_a_line() -> None:
    """Zero exchanges are no portion."""
    done = CliRunner().invoke(app, ["portions", "--memory", "summary", "--sizes", "0"])
    assert (done.exit_code, "must be 1 or more" in done.output) == (1, True)
