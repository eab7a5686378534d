"""The page that says what is promised names tests that exist, and the page with the figures has figures."""

import json
import re
from pathlib import Path

from tests.faults.tally import Tally, as_table

ROOT = Path(__file__).parents[2]


def test_the_tests_that_are_named_exist():
    """Each promise is shown by at least one test file, and each of them exists."""
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    promises = [line for line in page.splitlines() if re.match(r"\| [A-Z]", line)]
    assert promises
    for promise in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)`", promise)
        assert named, promise
        assert all((ROOT / name).is_file() for name in named), promise


def test_the_page_shows_the_figures():
    """The table in docs/faults.md is that of the last run, and nothing in it was lost, doubled or wrong."""
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    results = [Tally(**one) for one in json.loads((ROOT / "docs" / "faults.json").read_text(encoding="utf-8"))]
    assert as_table(results) in page
    assert all(tally.clean for tally in results)
