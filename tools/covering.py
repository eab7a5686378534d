"""A pytest plugin that records which lines each test runs, and the seconds that each test takes.

`tools.mutants` uses these records to run only the tests that reach a change, the quickest first.
"""

import functools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

SECONDS = "MUTANTS_SECONDS"
"""The environment variable with the path of the file for the tests' times."""

_CACHED: type[Any] = type(functools.cache(len))
_taken: dict[str, float] = {}
_worked: dict[str, float] = {}
# They show nothing about a change. A file that cannot be read stands for its tests.
_failed: set[str] = set()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Clear the caches that earlier tests filled, and record coverage for this test from now on."""
    if measuring := coverage.Coverage.current():
        for cached in _caches():
            cached.cache_clear()
        measuring.switch_context(nodeid)
    _worked[nodeid] = -_work()


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Add the CPU time of the test, including processes that the test waited for."""
    _worked[nodeid] += _work()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the seconds of one phase of a test, and note if the phase failed."""
    _taken[report.nodeid] = _taken.get(report.nodeid, 0) + report.duration
    if report.failed:
        _failed.add(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note the files whose tests cannot be collected."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the seconds and the CPU time of each passed test, and the names of the failed tests."""
    if path := os.environ.get(SECONDS):
        passed = {test: (seconds, _worked[test]) for test, seconds in _taken.items() if test not in _failed}
        told = {"passed": passed, "failed": sorted(_failed)}
        Path(path).write_text(json.dumps(told), encoding="utf-8")


def _work() -> float:
    return sum(os.times()[:4])


def _caches() -> Iterator[Any]:
    modules = [module for name, module in [*sys.modules.items()] if name.startswith("memzoo")]
    values = (value for module in modules for value in vars(module).values())
    return (value for value in values if isinstance(value, _CACHED))
