"""Runs the programs of docs/hosts."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "hosts"


def host(name: str) -> Any:
    """A module of a host; where it is not installed, the tests are skipped. Type checkers know nothing of it."""
    reason = f"{name} is not installed; `make hosts` does that"
    return pytest.importorskip(name, reason=reason, exc_type=ImportError)


def run_page(name: str, **given: Any) -> dict[str, Any]:
    """Run the program of a page as it stands, with the model that it leaves to the reader; it prints what it says."""
    (program,) = re.findall(
        r"^```python\n(.*?)^```", (FOLDER / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    said = [line.partition("# -> ")[2] for line in program.splitlines() if "# -> " in line]
    assert said, "the program says what it prints"
    names, printed = dict(given), io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, f"{name}.md", "exec"), names)  # noqa: S102
    assert printed.getvalue().splitlines() == said
    return names
