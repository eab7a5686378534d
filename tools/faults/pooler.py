"""Pooler: PgBouncer, which lends its connections for one transaction each, is killed, and clients behind it are."""

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
