"""What the first search over facts costs after opening."""

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app
from tests.benchmarks.research.test_strong_model import rows


def test_names_each_part_of_the_first_search() -> None:
    """For each number of facts: reading rows, making the graph, cutting into words, and searching; these are all."""
    done = CliRunner().invoke(app, ["known-cost", "--facts", "5,300"])
    assert done.exit_code == 0, done.output
    found = rows(done.output)
    assert list(found) == ["5", "300"]
    *parts, whole, _later = found["300"]
    assert len(parts) == 4
    shares = [int(part.partition("(")[2].removesuffix("%)")) for part in parts]
    assert abs(sum(shares) - 100) <= 2
    assert abs(sum(float(part.split()[0].replace(",", "")) for part in parts) - float(whole.replace(",", ""))) < 0.3
