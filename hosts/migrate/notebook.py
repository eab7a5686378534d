"""Reads the code cells of a notebook as one Python module, and puts changed code back into the cells."""

import functools
import itertools
import json
import re
from typing import Any

import libcst

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import reason
from memzoo.hosts.migrate.code_names import mentions_langchain_memory

# The marker line before each cell, and the marker before each line that only IPython reads.
_CELL = "# %% memzoo cell"
_LEFT = "pass  # memzoo left: "
_MAGIC = re.compile(r"(?m)^([ \t]*+)([%!?].*|.*(?<=\?))$")
_PUT_BACK = re.compile(rf"(?m)^([ \t]*+){re.escape(_LEFT)}(.*)$")


class Notebook:
    """The code cells of a notebook (the text of an `.ipynb` file), joined into one Python module.

    Lines that only IPython understands (`%pip ...`, `!ls`) and cells that are not Python are not part of the module.
    They stay unchanged.

    Raises:
        TransferError: The text is not a notebook of version 4.
    """

    def __init__(self, text: str) -> None:
        try:
            self._whole: dict[str, Any] = json.loads(text)
            self._cells = [cell for cell in self._whole["cells"] if cell["cell_type"] == "code"]
            sources = ["".join(cell["source"]) for cell in self._cells]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise TransferError(f"not a notebook of version 4: {reason(error)}") from error
        self.text = text
        self.code = "".join(f"{_CELL}\n{_without_magic(source)}\n" for source in sources)

    def with_code(self, code: str) -> str:
        """Return the text of the notebook with changed code.

        The code must still contain the comment lines that separate the cells.
        """
        for cell, changed in zip(self._cells, code.split(f"{_CELL}\n")[1:], strict=True):
            source = _PUT_BACK.sub(r"\1\2", changed.removesuffix("\n"))
            if source != "".join(cell["source"]):
                cell["source"] = source.splitlines(keepends=True) if isinstance(cell["source"], list) else source
        original = json.loads(self.text)
        return next((style(self._whole) for style in _STYLES if style(original) == self.text), _STYLES[0](self._whole))

    def unparsed_cells(self) -> list[int]:
        """Return the number of the first line of each cell that is not Python but mentions LangChain's memory."""
        starts = [number for number, line in enumerate(self.code.splitlines(), start=2) if line == _CELL]
        cells = [cell.splitlines() for cell in self.code.split(f"{_CELL}\n")[1:]]
        left = [
            all(line.startswith(_LEFT) for line in cell) and mentions_langchain_memory("".join(cell).encode())
            for cell in cells
        ]
        return list(itertools.compress(starts, left))

    def place(self, line: int) -> str:
        """Return the place of a line of code, such as "cell 2, line 5". Code cells are counted from 1."""
        before = self.code.splitlines()[:line]
        starts = [number for number, text in enumerate(before, start=1) if text == _CELL]
        return f"cell {len(starts)}, line {line - starts[-1]}"


def _write(whole: dict[str, Any], *, indent: int | None, ascii_only: bool, end: str) -> str:
    return json.dumps(whole, indent=indent, ensure_ascii=ascii_only) + end


def _without_magic(source: str) -> str:
    for code in (source, _MAGIC.sub(rf"\1{_LEFT}\2", source)):
        try:
            libcst.parse_module(code)
        except Exception:  # noqa: BLE001, S112 - the parser raises errors of several kinds
            continue
        return code
    return "".join(f"{_LEFT}{line}" for line in source.splitlines(keepends=True))


# The JSON formats of various programs, Jupyter's first.
_STYLES = [
    functools.partial(_write, indent=indent, ascii_only=ascii_only, end=end)
    for indent in (1, 2, 4, None)
    for ascii_only in (False, True)
    for end in ("\n", "")
]
