"""Runs pytest again and again, each time in a fork of one process that has loaded the libraries already.

To load them takes most of the time of a short run. `tools.mutants` starts this process in a copy of the working tree,
and sends it one run a line: the arguments of pytest as a JSON list. It answers with the exit code.
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
"""Arguments for runs of which nobody reads the output."""

_LIBRARIES = ("cryptography.fernet", "hypothesis.stateful", "networkx", "numpy", "openai", "sqlalchemy.ext.asyncio")
_LONGEST = 1800


class Forked:
    """Runs tests in a tree.

    Args:
        tree: The tree.
        environment: The variables of the runs.
        python: The interpreter.
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
        """Whether a test failed, or did not end."""
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
    """The exit code of a run; whatever it started ends with it, and all of it with this process."""
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
