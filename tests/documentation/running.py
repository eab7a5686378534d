"""Runs the Python blocks of a page, one after another; a text block right behind one is what it prints.

A block that is a file with tests is left to pytest.
"""

import contextlib
import io
import re
from typing import Any

_BLOCK = re.compile(r"^```python\n(.*?)^```\n(\n```text\n)?(?(2).*?^```\n)", re.DOTALL | re.MULTILINE)


def with_outputs(text: str, name: str) -> str:
    """The text of a page, with what its blocks print where it shows that. Files go into the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def run(found: re.Match[str]) -> str:
        if found[1].startswith("# test_"):
            return found[0]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(found[1], name, "exec"), names)  # noqa: S102 - our own pages
        code = f"```python\n{found[1]}```\n"
        return f"{code}\n```text\n{printed.getvalue().rstrip()}\n```\n" if found[2] else code

    return _BLOCK.sub(run, text)
