"""Children of the process that runs the tests, and of one that has loaded all libraries."""

import gc
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence

import pytest

from tools.faults.lives import end, start


def without_garbage() -> None:
    """Call it before a fork: what other tests left behind is not for the child to clear away.

    Libraries with threads of their own, as Chroma's, would wait there for threads that stayed in the parent.
    """
    gc.collect()


def forked(work: Callable[[], object]) -> int:
    """Fork, and do it in the child."""
    without_garbage()
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001 - it is told, and no test goes on in the child
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def ended(child: int) -> None:
    """Wait for a child, and make sure that it ended well."""
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def in_child(work: Callable[[], object]) -> None:
    """Do it in a child to its end."""
    ended(forked(work))


def run_pytest(command: Sequence[str], *, check: bool, capture_output: bool) -> "subprocess.CompletedProcess[bytes]":
    """Run pytest as `subprocess.run` does, but in a child: to load pytest and its plugins again takes most of a run."""
    assert command[1:3] == ["-m", "pytest"]

    def run() -> None:
        if capture_output:
            null = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(null, stream)
        os._exit(pytest.main([*command[3:]]))

    code = os.waitstatus_to_exitcode(os.waitpid(forked(run), 0)[1])
    assert not check
    return subprocess.CompletedProcess(command, code)


def run_program(code: str, *arguments: object) -> int:
    """Run a program in a process of its own, which need not load the libraries; return its exit code."""
    return end(start(_execute, code, *map(str, arguments)))


def _execute(code: str, *arguments: str) -> None:
    sys.argv = ["-c", *arguments]
    exec(code, {"__name__": "__main__"})  # noqa: S102
