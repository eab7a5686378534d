"""PgBouncer and clients behind it are killed: a slice of `make faults`."""

import pytest

from tests.poolers import PgBouncer
from tests.postgres import PostgresServer
from tools.faults.pooler import kill
from tools.faults.tally import Tally


@pytest.mark.skipif(PgBouncer.program() is None, reason="pgbouncer is not installed")
def test_a_killed_pooler_loses_nothing(postgres_server: PostgresServer):
    """Whatever was acknowledged through a pooler is there, once, when it or its clients are killed (I2, I3)."""
    tally = Tally("pooler", "summary", "postgresql")
    kill(tally, postgres_server, kills=3)
    assert tally.clean, tally.examples
    assert tally.tried >= 4
