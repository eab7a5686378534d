"""A pytest plugin that tells `coverage` which test runs, and writes down how long each of them took, in seconds.

`tests.mutants` uses it to run only the tests that reach a change, the quickest first.
"""

import json
import os
from pathlib import Path

import coverage
import pytest

SECONDS = "MUTANTS_SECONDS"
"""The environment variable that names the file for the seconds."""

_taken: dict[str, float] = {}
# They show nothing about a change.
_failed: set[str] = set()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Let what runs from now on count for this test."""
    if measuring := coverage.Coverage.current():
        measuring.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add what a part of a test took."""
    _taken[report.nodeid] = _taken.get(report.nodeid, 0) + report.duration
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write down what took how long, of the tests that passed."""
    if path := os.environ.get(SECONDS):
        passed = {test: seconds for test, seconds in _taken.items() if test not in _failed}
        Path(path).write_text(json.dumps(passed), encoding="utf-8")
