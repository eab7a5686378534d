"""Rows of the page beside other libraries, printed for whoever disputes a cell."""

import functools
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memzoo import plugins
from memzoo.benchmarks.research.__main__ import app

ADAPTER = """# /// script
# [tool.memzoo.ways]
# newest = {about = "the newest messages", source = "https://mine.example/", remarks = {sent = "#few"}}
# ///


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, **options):
        self.said = []

    def save(self, messages, said_at):
        self.said += messages

    def view(self, question):
        return self.said[-1:]
"""


def test_a_row_is_printed_and_the_page_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of an installed package's contender, for each budget, between the baselines, with links and a note."""
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[memzoo.contenders]\nmine = mine_memory\n", encoding="utf-8")
    (tmp_path / "mine_memory.py").write_text(ADAPTER, encoding="utf-8")
    page = tmp_path / "page.md"
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(plugins, "plugins", functools.cache(plugins.plugins.__wrapped__))  # with what is new

    def run(*given: str) -> Any:
        return CliRunner().invoke(app, ["arena", str(page), "--only", "sample:survival", *given])

    ran = run("--row", "mine/n*", "--jobs", "1")
    assert ran.exit_code == 0, ran.output
    rows = [line.split(" | ") for line in ran.stdout.splitlines() if line.startswith("| ")]
    names = [row[0] for row in rows if not row[0].startswith(("| ---", "| memory"))]
    assert names == ["| none", "| [mine/newest](https://mine.example/)", "| everything"] * 2
    sent = rows[0].index("sent")
    assert all(row[sent].endswith(" [note](#few)") for row in rows if "mine" in row[0])
    assert rows[-1][1] == "80 of 80 (.95-1.00)"
    assert not page.exists()

    wrong = run("--row", "mine/x")
    assert (wrong.exit_code, "there is no row ['mine/x']; there are " in wrong.stderr) == (2, True), wrong.stderr
