"""The tables of a page, written anew."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from memzoo.benchmarks.research.__main__ import app

BEFORE = """# A page

<!-- measured: {} -->
old
<!-- end of measured -->

more
<!-- measured: growth -->
kept
<!-- end of measured -->
"""


def test_a_table_is_what_its_command_prints(chat: dict[str, Any], saved: Callable[..., Path], tmp_path: Path) -> None:
    """What was there goes, all around it stays, and so do the tables of commands that were not asked for."""
    command = f"cache {saved(chat)} --memory window"
    file = tmp_path / "page.md"
    file.write_text(BEFORE.format(command), encoding="utf-8")
    done = CliRunner().invoke(app, ["page", str(file), "--only", "cache"])
    assert done.exit_code == 0, done.output
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"# A page\n\n<!-- measured: {command} -->\n\n**")
    assert "| window " in text
    assert "old\n<!-- end" not in text
    assert text.endswith("more\n<!-- measured: growth -->\nkept\n<!-- end of measured -->\n")


def test_a_command_that_fails_changes_nothing(tmp_path: Path) -> None:
    """The page stays as it was."""
    file = tmp_path / "page.md"
    before = BEFORE.format(f"cache {tmp_path / 'none.json'}")
    file.write_text(before, encoding="utf-8")
    done = CliRunner().invoke(app, ["page", str(file), "--only", "cache"])
    assert done.exit_code == 1
    assert file.read_text(encoding="utf-8") == before


def test_the_docs_quote_the_tables() -> None:
    """Each figure in the tables about the two kinds of talk stands in a table that a command printed."""
    root = Path(__file__).parents[3]
    printed = (root / "benchmarks" / "research" / "retrieval.md").read_text(encoding="utf-8")
    told = (root / "docs" / "retrieval-research.md").read_text(encoding="utf-8")
    section = told.partition("## Two kinds of talk")[2].partition("\n## ")[0]
    figures = set(re.findall(r"\d\.\d{3}(?:-\d\.\d{3})?|\d+\.\d \+ \d+\.\d", section))
    assert len(figures) >= 50
    assert [figure for figure in figures if figure not in printed] == []
