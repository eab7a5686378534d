"""A disk that is full, or cannot be written: a slice of `make faults`."""

import pytest

from tools.faults.disk import FAULTS, available, out_of_order
from tools.faults.tally import Tally


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_half_written(fault: str):
    """A save is refused with a `StoreError`, leaves nothing half-written, and works afterwards (I2, I3)."""
    if fault not in available():
        pytest.skip("file systems cannot be mounted here")
    for strategy in ("buffer", "vector-retriever"):
        tally = Tally("disk", strategy, "sqlite")
        out_of_order(tally, fault, seed=0)
        assert tally.clean, tally.examples
        assert tally.tried
