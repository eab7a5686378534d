"""A slice of the kills in a framework's run; `python -m tools.faults "host killed in a turn"` does all."""

import functools
import multiprocessing

import pytest

from tests.forking import in_child
from tools.faults import lives
from tools.faults.host_runs import kill_runs
from tools.faults.places import Places
from tools.faults.tally import Tally


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_run_that_was_killed_is_gone_on_with(places: Places):
    """No turn is lost or doubled: what was cut off is asked again, and its question is in the log once."""
    pytest.importorskip("agents", reason="the OpenAI Agents SDK is not installed")

    def work() -> None:
        # To load the framework takes two seconds: the processes are forked from one that has it.
        lives.PROCESSES = multiprocessing.get_context("fork")
        tally = Tally("host killed in a turn", "window", "sqlite")
        kill_runs(tally, functools.partial(places.url, "sqlite"), kills=4)
        assert tally.tried == 4
        assert tally.clean, tally.examples

    in_child(work)
