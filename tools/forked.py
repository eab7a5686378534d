"""Runs pytest repeatedly, each time in a fork of one process that has already loaded the libraries.

Loading the libraries takes most of the time of a short run. `tools.mutants` starts this process in a copy of the
working tree, and sends a line for each run: the arguments of pytest as a JSON list. The process answers with the exit
code.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

__all__ = ["QUIETLY", "Forked"]

QUIETLY = ("-q", "-n", "0", "-p", "no:randomly", "--assert=plain")
"""The arguments for runs whose output nobody reads."""

_LIBRARIES = ("cryptography.fernet", "hypothesis.stateful", "networkx", "numpy", "openai", "sqlalchemy.ext.asyncio")
_LONGEST = 1800


class Forked:
    """Runs tests in a copy of the working tree.

    Args:
        tree: The folder of the copy.
        environment: The environment variables of the runs.
        python: The path of the interpreter.
    """

    def __init__(self, tree: Path, environment: Mapping[str, str], python: str = sys.executable) -> None:
        self._process = subprocess.Popen(
            [python, "-m", "tools.forked"],
            cwd=tree,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )

    def fails(self, arguments: Sequence[str]) -> bool:
        """Run pytest, and return whether a test failed or did not end."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(arguments) + "\n")
        return json.loads(self._process.stdout.readline()) != 0

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _main() -> None:
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGTERM, _stop)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _run(json.loads(line))
        sys.stdout.write(f"{_code(pid)}\n")
        sys.stdout.flush()


def _stop(*_: object) -> NoReturn:
    raise SystemExit(1)


def _run(arguments: Sequence[str]) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    # At once: threads that a test left behind would be waited for.
    os._exit(pytest.main([*arguments]))


def _code(pid: int) -> int:
    """Wait for a run, end all processes started by the run, and return the run's exit code."""
    end, parent = time.monotonic() + _LONGEST, os.getppid()
    done = status = 0
    try:
        while not done and time.monotonic() < end and os.getppid() == parent:
            time.sleep(0.02)
            done, status = os.waitpid(pid, os.WNOHANG)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    if not done:
        os.waitpid(pid, 0)
        return 1
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    _main()
