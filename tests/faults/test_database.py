"""A PostgreSQL server that goes away: a slice of `make faults`."""

import tempfile
from pathlib import Path

from tests.postgres import PostgresServer
from tools.faults.database import cut, restart_cells
from tools.faults.places import Places
from tools.faults.tally import Tally


def test_a_cut_connection_leaves_nothing_half_written(places: Places):
    """A connection that ends at any step is a `StoreError` or goes unnoticed, and the next call works (I2, I3)."""
    tally = Tally("cut connection", "summary", "postgresql")
    cut(tally, lambda: places.scenario("summary", "postgresql"), every=17)
    assert tally.clean, tally.examples
    assert tally.places["an error"]


def test_servers_go_away_under_load(postgres_server: PostgresServer):
    """A server is stopped and killed; whatever was acknowledged is there after a restart, once (I2, I3)."""
    # Not in pytest's own folder: see `postgres_server`.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        tally, work = next(restart_cells(Places(Path(folder), postgres_server.new_url), 1))
        work(tally)
    assert tally.clean, tally.examples
    assert tally.tried == 2
