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


def pytest_runtest_logstart(nodeid: str) -> None:
    """Let what runs from now on count for this test."""
    if measuring := coverage.Coverage.current():
        measuring.switch_context(nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add what a part of a test took. A failing test shows nothing about a change."""
    _taken[report.nodeid] = _taken.get(report.nodeid, 0) + report.duration + (1e9 if report.failed else 0)


def pytest_sessionfinish() -> None:
    """Write it down."""
    if path := os.environ.get(SECONDS):
        Path(path).write_text(json.dumps(_taken), encoding="utf-8")
