"""A process is killed while it saves: a quick slice of `make faults`."""

from dataclasses import replace

import pytest

from tools.faults.crash import crash
from tools.faults.places import STORES, Places
from tools.faults.tally import Tally


@pytest.mark.parametrize("store", STORES)
def test_a_killed_process_loses_and_doubles_nothing(store: str, places: Places):
    """After kills at steps and at random, log, view and state are those of an undisturbed run (I2, I3)."""
    if "chroma" in store:
        pytest.importorskip("chromadb", reason="needs the 'chroma' extra")
    for strategy in ["buffer", "summary-buffer", "vector-retriever"] if store == "sqlite" else ["vector-retriever"]:
        tally = Tally("crash", strategy, store)
        crash(tally, lambda strategy=strategy: places.scenario(strategy, store), kills=3, exchanges=5)
        assert tally.clean, tally.examples
        assert tally.tried >= 3


@pytest.mark.parametrize("strategy", ["summary", "entity", "knowledge-graph"])
def test_a_process_killed_between_portions_loses_and_doubles_nothing(strategy: str, places: Places):
    """With portions of three exchanges, too, log, view and state are those of an undisturbed run."""
    tally = Tally("crash", strategy, "sqlite")
    crash(tally, lambda: replace(places.scenario(strategy, "sqlite"), learn_every=3), kills=3, exchanges=5)
    assert tally.clean, tally.examples
