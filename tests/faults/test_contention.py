"""A slice of forks and of writers that wait; `python -m tools.faults fork waiting` does all."""

import functools

import pytest

from tools.faults.contention import WRITERS, forks, waits
from tools.faults.places import Places
from tools.faults.tally import Tally


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_forks_while_threads_save(store: str, places: Places):
    """Neither the threads of the parent nor its children lose or double anything, and no child hangs."""
    tally = Tally("fork", "summary", store)
    forks(tally, functools.partial(places.scenario, "summary", store), children=4)
    assert tally.clean, tally.examples


def test_writers_that_wait(places: Places):
    """Each of several writers saves, or is told that it could not; how long that takes is counted by the whole run."""
    tally = Tally("waiting", "summary", "sqlite")
    waits(tally, functools.partial(places.scenario, "summary", "sqlite"), rounds=1, slack=60)
    assert tally.tried == 2 * WRITERS
    assert tally.clean, tally.examples
