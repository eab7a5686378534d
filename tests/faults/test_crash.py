"""A process is killed while it saves: a quick slice of `make faults`."""

import pytest

from tools.faults.crash import crash
from tools.faults.places import STORES, Places
from tools.faults.scenarios import SEVEN
from tools.faults.tally import Tally


@pytest.mark.parametrize("store", STORES)
def test_a_killed_process_loses_and_doubles_nothing(store: str, places: Places):
    """After kills at steps and at random, log, view and state are those of an undisturbed run (I2, I3)."""
    for strategy in SEVEN if store == "sqlite" else ["vector-retriever"]:
        tally = Tally("crash", strategy, store)
        crash(tally, lambda strategy=strategy: places.scenario(strategy, store), kills=3, exchanges=5)
        assert tally.clean, tally.examples
        assert tally.tried >= 3
