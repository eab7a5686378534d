"""Updates the tables of a page: `python -m memzoo.benchmarks.research page benchmarks/research/retrieval.md`.

A comment before each table has the command that prints it: `<!-- measured: retrieval realmem --embedder none -->`. The
comment `<!-- end of measured -->` stands after the table.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

_BLOCK = re.compile(r"(<!-- measured: (.+?) -->\n).*?(<!-- end of measured -->)", re.DOTALL)


def put_output(text: str, command: str, printed: str) -> str:
    r"""Return a page in which new output of a command replaces the old output.

    Example:
        >>> print(put_output("<!-- measured: speed -->\n<!-- end of measured -->", "speed", "fast"))
        <!-- measured: speed -->
        <BLANKLINE>
        fast
        <BLANKLINE>
        <!-- end of measured -->
    """
    return _BLOCK.sub(lambda at: f"{at[1]}\n{printed.strip()}\n\n{at[3]}" if at[2] == command else at[0], text)


def page(
    file: Annotated[Path, typer.Argument(help="The page.", exists=True, dir_okay=False)],
    only: Annotated[str, typer.Option(help="Only commands with this in them.")] = "",
) -> None:
    """Run the commands that a page names, and write their output into the page."""
    for command in dict.fromkeys(found[2] for found in _BLOCK.finditer(file.read_text(encoding="utf-8"))):
        if only in command:
            Console().print(f"running {command}", markup=False, highlight=False)
            ran = subprocess.run(  # noqa: S603 - the page names a command of ours
                [sys.executable, "-m", "memzoo.benchmarks.research", *command.split()],
                stdout=subprocess.PIPE,
                check=True,
                encoding="utf-8",
            )
            # Read and written again after each command, so that a failing command or an edit meanwhile loses nothing.
            text = put_output(file.read_text(encoding="utf-8"), command, ran.stdout)
            file.write_text(text, encoding="utf-8", newline="\n")
