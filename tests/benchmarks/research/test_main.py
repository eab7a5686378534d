"""The measurements that the documentation quotes."""

import importlib.util
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research.__main__ import app


def test_a_picture_is_drawn_into_a_file(
    tmp_path: Path, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands alone: well-formed, with colours for light and dark pages, and the strategies named."""
    monkeypatch.setattr("memzoo.benchmarks.research.__main__.sample_transcripts", lambda: [transcript])
    done = CliRunner().invoke(app, ["picture", str(tmp_path / "out.svg")])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - it was made a line ago
    assert "summary-buffer" in text
    assert "@media (prefers-color-scheme: dark)" in text


def quoted() -> list[tuple[str, str]]:
    """The module and the command of each measurement that a page quotes."""
    root = Path(__file__).parents[3]
    pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("benchmarks/research/*.py")]
    pattern = r"python -m (memzoo\.benchmarks\.research[\w.]*\w)(?: ([a-z][a-z-]+))?"
    found = [re.findall(pattern, page.read_text(encoding="utf-8")) for page in pages]
    return sorted({(module, command) for page in found for module, command in page})


@pytest.mark.parametrize(("module", "command"), quoted())
def test_a_quoted_command_exists(module: str, command: str) -> None:
    """Pages and docstrings name modules that can be run, and commands that there are."""
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{module}.__main__")
    assert spec is not None
    assert spec.origin is not None
    assert '__name__ == "__main__"' in Path(spec.origin).read_text(encoding="utf-8")
    if command:
        done = CliRunner().invoke(app, [command, "--help"])
        assert done.exit_code == 0, done.output
