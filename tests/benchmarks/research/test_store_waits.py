"""Who waits for whom in a large file, measured."""

import re

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks.research import store_waits
from memzoo.benchmarks.research.__main__ import app


def test_saves_and_openings_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables have a row for each way to forget, each way that messages come and each window; none reads all."""
    monkeypatch.setattr(store_waits, "_ALONE", 3)
    done = CliRunner().invoke(app, ["store-waits", "--conversations", "5", "--lengths", "500,600"])
    assert done.exit_code == 0, done.output
    assert len(re.findall("^[|] forget", done.output, re.MULTILINE)) == 3
    read = [int(number) for number in re.findall(r"[|] +(\d+) \(", done.output)]
    assert len(read) == 2 * (3 + 6)
    assert max(read) <= 150
