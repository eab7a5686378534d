"""The page on the life of data: what it shows runs, and comes out as it says."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "data.md").read_text(encoding="utf-8")


def test_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python snippets run one after another, and the receipt is the one that is shown."""
    pytest.importorskip("cryptography", reason="needs the 'encryption' extra")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for snippet in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE):
        exec(compile(snippet, "data.md", "exec"), names)  # noqa: S102
    receipt = names["receipt"]
    assert (receipt.removed, receipt.rederived) == ((1, 2), ("summary",))
    assert (receipt.outstanding, receipt.calls, receipt.erased) == ((), 1, False)
    assert [entry.seq for entry in names["older"]] == [2, 1]
    assert names["deleted"].removed == {}
    assert names["store"].close() is names["secret"].close() is None


def test_presidio_takes_out_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The snippet with Presidio runs where it is installed, and prints what stands behind it."""
    pytest.importorskip("presidio_analyzer", reason="Presidio is not installed")
    (snippet,) = re.findall(r"^```py\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    exec(compile(f"from memzoo import create_memory\n{snippet}", "data.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.strip() == re.findall(r"# -> (.*)\n", snippet)[-1]
