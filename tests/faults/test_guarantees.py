"""The page that says what is promised names tests that exist, and the page with the figures has figures."""

import json
import re
from pathlib import Path

from tools.faults.tally import Tally, by_fault
from tools.promises import BROKEN, promises

ROOT = Path(__file__).parents[2]


def test_the_tests_that_are_named_exist():
    """Each promise is shown by at least one test, and each of them is defined in the file that is named."""
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(rows) == len(promises()) >= 40
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        assert row.count(".py") == len(named), row
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"


def test_patches_break_what_the_page_promises():
    """Each promise has one, for a test that its row names, and it changes one place that is there."""
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in page.splitlines() if row.startswith("| ")}
    assert len(BROKEN) == len(promises())
    for one, promise in zip(BROKEN, promises(), strict=True):
        assert promise.startswith(one.promise)
        (row,) = [row for promise, row in rows.items() if promise.startswith(one.promise)]
        assert f"::{one.test}`" in row, one.promise
        assert (ROOT / one.file).read_text(encoding="utf-8").count(one.before) == 1, one.promise
        assert one.before != one.after


def test_the_page_shows_the_figures():
    """The table in docs/faults.md is that of the last run, and nothing in it was lost, doubled or wrong."""
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    results = [Tally(**one) for one in json.loads((ROOT / "docs" / "faults.json").read_text(encoding="utf-8"))]
    assert by_fault(results) in page
    assert all(tally.clean for tally in results)
