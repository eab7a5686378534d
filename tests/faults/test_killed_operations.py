"""A slice of the kills during operations; `python -m tools.faults operations` does all."""

import functools

import pytest

from tools.faults.operations import OPERATIONS, kill_in
from tools.faults.places import Places
from tools.faults.tally import Tally


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_killed_operation_is_whole_or_not_begun(name: str, places: Places):
    """Whatever was killed, and wherever, is done to its end by doing it again; a writer beside it loses nothing."""
    tally = Tally("operations", name, "sqlite")
    kill_in(tally, functools.partial(places.scenario, "buffer", "sqlite"), kills=2)
    assert tally.tried == 2
    assert tally.clean, tally.examples
