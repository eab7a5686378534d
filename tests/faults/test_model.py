"""Each way in which a model call can go wrong: a slice of `make faults`."""

import pytest

from tools.faults.model import STRATEGIES, fail
from tools.faults.places import Places
from tools.faults.tally import Tally


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_failing_call_loses_and_spoils_nothing(strategy: str, places: Places):
    """What was said is stored and in view, no state is spoilt, and all is learnt with the next call (I4, I5)."""
    tally = Tally("model", strategy, "sqlite")
    fail(tally, lambda: places.scenario(strategy, "sqlite"), every=97 if strategy == "combined" else 37)
    assert tally.clean, tally.examples
    assert len(tally.places) >= 3
