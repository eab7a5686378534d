"""Commands that run one after the other in one new process: to start a process takes longer than most of them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

__all__ = ["IN_TURN", "Ran", "ran", "run_in_turn"]

IN_TURN = """
import contextlib, io, json, sys
from memzoo.cli.commands import main

for command in sys.argv[1:]:
    sys.argv = ["memzoo", *command.split()]
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
    print(json.dumps([code, output.getvalue(), errors.getvalue()]))
"""
"""Runs the commands that are its arguments, and prints a line about each."""


class Ran(NamedTuple):
    """The outcome of a command.

    Attributes:
        code: Its exit code.
        output: Its output.
        errors: Its messages beside the output.
    """

    code: int
    output: str
    errors: str


def ran(lines: str) -> list[Ran]:
    """Read the lines that `IN_TURN` printed."""
    return [Ran(*json.loads(line)) for line in lines.splitlines()]


def run_in_turn(
    *commands: str, cwd: Path, before: str = "", environment: Mapping[str, str] | None = None
) -> dict[str, Ran]:
    """Run commands in a folder, after some code, and return their outcomes by command."""
    command = [sys.executable, "-c", f"{before}\n{IN_TURN}", *commands]
    variables = os.environ | dict(environment or {})
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=True)
    return dict(zip(commands, ran(done.stdout), strict=True))
