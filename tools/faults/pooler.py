"""The fault "pooler": clients behind PgBouncer are killed, and then PgBouncer itself.

PgBouncer lends a server connection to a client for one transaction at a time.
"""

import functools
from collections.abc import Iterator
from contextlib import closing

import typer

from tests.poolers import PgBouncer
from tests.postgres import PostgresServer
from tools.faults.crash import crash
from tools.faults.database import restart
from tools.faults.places import Places
from tools.faults.scenarios import SEVEN, Scenario
from tools.faults.tally import Cell, Tally

__all__ = ["cells", "kill"]


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy behind its own PgBouncer; none if PgBouncer is not installed."""
    if PgBouncer.program() is None:
        typer.echo("pooler: skipped, since pgbouncer is not installed")
        return
    for strategy in SEVEN:
        yield Tally("pooler", strategy, "postgresql"), functools.partial(_own_server, places, kills=kills)


def kill(tally: Tally, server: PostgresServer, *, kills: int) -> None:
    """Kill clients at steps of saves and loads; then kill PgBouncer while four threads save.

    Args:
        tally: The tally that counts the results.
        server: The PostgreSQL server behind the pooler.
        kills: The number of clients to kill; PgBouncer is killed once for every ten clients.
    """
    with closing(PgBouncer(server)) as pooler:

        def new() -> Scenario:
            return Scenario(tally.strategy, pooler.url(server.new_database()))

        crash(tally, new, kills, exchanges=8)
        for _ in range(-(-kills // 10)):
            restart(tally, new(), pooler.kill, pooler.start)


def _own_server(places: Places, tally: Tally, *, kills: int) -> None:
    server = PostgresServer(places.folder())
    try:
        kill(tally, server, kills=max(kills // 5, 2))
    finally:
        server.cleanup()
