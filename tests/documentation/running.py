"""Runs the Python blocks of a page, one after another, and puts in what they print, where the page shows that.

That is a text block right behind one, or behind "It prints:", and a comment `# -> ...` behind a `print`. A block that
is a file with tests is left to pytest.
"""

import contextlib
import io
import re
import sys
from typing import Any

_BLOCK = re.compile(
    r"^```python\n(.*?)^```\n(\n(?:It prints:\n\n)?```text\n)?(?(2).*?^```\n)", re.DOTALL | re.MULTILINE
)
_SHOWN = "  # -> "


def with_outputs(text: str, name: str) -> str:
    """The text of a page, with what its blocks print where it shows that. Files go into the current folder."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def run(found: re.Match[str]) -> str:
        if found[1].startswith("# test_"):
            return found[0]
        lines = found[1].splitlines()

        def print_and_show(*said: object, **how: Any) -> None:
            print(*said, **how)  # noqa: T201 - it is what pages do
            at = sys._getframe(1).f_lineno - 1  # pyright: ignore[reportPrivateUsage]
            if _SHOWN in lines[at]:
                lines[at] = lines[at].partition(_SHOWN)[0] + _SHOWN + " ".join(map(str, said))

        names["print"] = print_and_show
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(found[1], name, "exec"), names)  # noqa: S102 - our own pages
        code = "\n".join(["```python", *lines, "```\n"])
        return f"{code}{found[2]}{printed.getvalue().rstrip()}\n```\n" if found[2] else code

    return _BLOCK.sub(run, text)
