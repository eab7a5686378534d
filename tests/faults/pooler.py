"""Pooler: PgBouncer, which lends its connections for one transaction each, is killed, and clients behind it are."""

import functools
from collections.abc import Iterator
from contextlib import closing

import typer

from tests.faults.crash import crash
from tests.faults.database import restart
from tests.faults.places import Places
from tests.faults.scenarios import SEVEN, Scenario
from tests.faults.tally import Cell, Tally
from tests.poolers import PgBouncer
from tests.postgres import PostgresServer

__all__ = ["cells", "kill"]


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Each strategy behind a PgBouncer of its own; none where it is not installed."""
    if PgBouncer.program() is None:
        typer.echo("pooler: skipped, since pgbouncer is not installed")
        return
    for strategy in SEVEN:
        yield Tally("pooler", strategy, "postgresql"), functools.partial(_own_server, places, kills=kills)


def kill(tally: Tally, server: PostgresServer, *, kills: int) -> None:
    """Kill clients while they save and load, as in a crash, and then PgBouncer itself while four threads save.

    Args:
        tally: Takes the results.
        server: Behind the pooler.
        kills: How many clients; for each ten of them, PgBouncer is killed once.
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
