"""What a comparison costs as a conversation grows."""

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from memzoo.benchmarks.research.growth import long_conversation
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.strategy import text_of


def test_a_long_conversation_repeats_nothing() -> None:
    """It begins as the bundled one, has its questions, and goes on about others, to exactly the number wanted."""
    (sample,) = sample_transcripts()
    found = long_conversation(3001)
    texts = [text_of(message) for exchange in found.exchanges for message in exchange.messages]
    assert len(texts) == len(set(texts)) == 3001
    assert found.exchanges[: len(sample.exchanges)] == sample.exchanges
    assert found.measured == sample.measured


def test_the_table_has_a_row_for_each_size() -> None:
    """The comparison runs in a process of its own, and CPU and memory of it are shown."""
    done = CliRunner().invoke(
        app, ["growth", "--sizes", "40,80", "--memory", "window", "--counter", "approximate"], catch_exceptions=False
    )
    rows = [[float(cell.replace(",", "")) for cell in line.split("|")[1:-1]] for line in done.output.splitlines()[2:]]
    assert [row[0] for row in rows] == [40, 80]
    assert all(figure > 0 for row in rows for figure in row)
