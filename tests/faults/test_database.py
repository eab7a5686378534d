"""A PostgreSQL server that goes away: a slice of `make faults`."""

from pathlib import Path

from tests.faults.database import cut, restart
from tests.faults.places import Places
from tests.faults.tally import Tally
from tests.postgres import PostgresServer


def test_a_cut_connection_leaves_nothing_half_written(places: Places):
    """A connection that ends at any step is a `StoreError` or goes unnoticed, and the next call works (I2, I3)."""
    tally = Tally("cut connection", "summary", "postgresql")
    cut(tally, lambda: places.scenario("summary", "postgresql"), every=17)
    assert tally.clean, tally.examples
    assert tally.places["an error"]


def test_a_server_is_killed_under_load(postgres_server: PostgresServer, tmp_path: Path):
    """Whatever was acknowledged before the server was killed is there after its restart, once (I2, I3)."""
    server = PostgresServer(tmp_path / "postgres")
    tally = Tally("killed server", "summary", "postgresql")
    try:
        restart(tally, server, server.kill)
    finally:
        server.cleanup()
    assert tally.clean, tally.examples
