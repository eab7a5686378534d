"""Rows of the page beside other libraries, printed for whoever disputes a cell."""

import os
import subprocess
import sys
from pathlib import Path

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


def test_a_row_is_printed_and_the_page_is_left(tmp_path: Path) -> None:
    """The row of an installed package's contender, for each budget, between the baselines, with links and a note."""
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[memzoo.contenders]\nmine = mine_memory\n", encoding="utf-8")
    (tmp_path / "mine_memory.py").write_text(ADAPTER, encoding="utf-8")
    page = tmp_path / "page.md"

    def run(*given: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "memzoo.benchmarks.research", "arena", str(page), "--only", "sample:survival"]
        env = {**os.environ, "PYTHONPATH": str(tmp_path)}
        return subprocess.run([*command, *given], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    ran = run("--row", "mine/n*", "--jobs", "1")
    assert ran.returncode == 0, ran.stderr
    rows = [line.split(" | ") for line in ran.stdout.splitlines() if line.startswith("| ")]
    names = [row[0] for row in rows if not row[0].startswith(("| ---", "| memory"))]
    assert names == ["| none", "| [mine/newest](https://mine.example/)", "| everything"] * 2
    sent = rows[0].index("sent")
    assert all(row[sent].endswith(" [note](#few)") for row in rows if "mine" in row[0])
    assert rows[-1][1] == "80 of 80 (.95-1.00)"
    assert not page.exists()

    wrong = run("--row", "mine/x")
    assert (wrong.returncode, "there is no row ['mine/x']; there are " in wrong.stderr) == (2, True)
