"""The fault "database": the server is killed or restarted under load, or cuts a connection during a save."""

import asyncio
import functools
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory
from memzoo.sync import drive
from tests.postgres import PostgresServer
from tools.faults.lives import PROCESSES, end, start
from tools.faults.places import Places
from tools.faults.scenarios import QUESTION, SEVEN, Ports, Scenario, aoutcome, opened, said
from tools.faults.steps import Steps
from tools.faults.tally import ALL, Cell, Tally

__all__ = ["cut", "cut_cells", "restart", "restart_cells"]

_EXCHANGES = 3
_WRITERS = 4


def cut_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy on PostgreSQL, for cut connections."""
    for strategy in SEVEN:
        new = functools.partial(places.scenario, strategy, "postgresql")
        yield (
            Tally("cut connection", strategy, "postgresql"),
            functools.partial(cut, new=new, every=ALL // min(kills, ALL)),
        )


def restart_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy on its own PostgreSQL server, for server restarts."""
    for strategy in SEVEN:
        yield (
            Tally("killed server", strategy, "postgresql"),
            functools.partial(_own_server, places, times=max(kills // 20, 2)),
        )


def cut(tally: Tally, new: Callable[[], Scenario], *, every: int = 1) -> None:
    """Let the server end all connections at each step of a load and a save, or at every `every`-th step."""
    expected, steps = _told(new(), None)
    for at, asynchronous in itertools.product(range(1, steps + 1, every), (False, True)):
        found, refused = _told(new(), at, asynchronous=asynchronous)
        tally.tried += 1
        tally.places["an error" if refused else "connected again unnoticed"] += 1
        tally.check_log(found["log"], [f"turn-{number}" for number in range(_EXCHANGES)])
        tally.check_equal(found, expected, f"the outcome after a cut at step {at}")


def _told(scenario: Scenario, at: int | None, *, asynchronous: bool = False) -> tuple[dict[str, Any], int]:
    """Run a process that loses its connections at step `at`; return its outcome, and its number of errors.

    Without a step, nothing is lost, and the number of steps takes the place of the number of errors.
    """
    here, there = PROCESSES.Pipe()
    process = start(_talk, scenario, at, asynchronous, there)
    there.close()
    with here:
        told: tuple[dict[str, Any], int] = here.recv()
    if code := end(process):
        raise RuntimeError(f"a process that was cut off at step {at} ended with {code}")
    return told


def _talk(scenario: Scenario, at: int | None, asynchronous: bool, pipe: Connection) -> None:  # noqa: FBT001
    name = f"cut-{os.getpid()}"
    steps = Steps(None if at is None else (_EXCHANGES - 1, at), lambda _: _end_connections(scenario.store, name))
    steps.watch_sql()
    named = replace(scenario, store=f"{scenario.store}&application_name={name}")
    with opened(named, steps.ports(Ports())) as memory:
        talk = _turns(memory, steps)
        refused = asyncio.run(talk) if asynchronous else drive(talk)
        count = len(steps.begin(_EXCHANGES))
    with opened(scenario) as memory:
        pipe.send((drive(aoutcome(memory)), count if at is None else refused))


async def _turns(memory: BaseMemory, steps: Steps) -> int:
    refused = 0
    for number in range(_EXCHANGES):
        steps.begin(number)
        for call in (
            memory.amessages,
            functools.partial(memory.asave_context, *said(number), turn_id=f"turn-{number}"),
        ):
            arguments = [QUESTION] if call == memory.amessages else []
            try:
                await call(*arguments)
            except StoreError:
                refused += 1
                await call(*arguments)  # the next one works
    return refused


def _end_connections(url: str, name: str) -> None:
    """End all connections with this application name, and wait until they have ended."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        own = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name = %s", [name]).fetchall()
        for (number,) in own:
            connection.execute("SELECT pg_terminate_backend(%s, 60000)", [number])


def _own_server(places: Places, tally: Tally, *, times: int) -> None:
    server = PostgresServer(places.folder())
    try:
        for number in range(times):
            scenario = Scenario(tally.strategy, server.new_url())
            restart(tally, scenario, server.kill if number % 2 else server.stop, server.start)
    finally:
        server.cleanup()


def restart(tally: Tally, scenario: Scenario, stop: Callable[[], None], start_again: Callable[[], None]) -> None:
    """Stop and start a server while threads save; each thread repeats a save until the save succeeds."""
    saved = itertools.count()
    under_load, given_up = threading.Event(), threading.Event()
    with opened(scenario) as memory, ThreadPoolExecutor(_WRITERS) as pool:

        def work(worker: int) -> int:
            refused = 0
            for number in range(_EXCHANGES):
                while not _saved(memory, f"{worker}-{number}", 10 * worker + number):
                    refused += 1
                    if given_up.wait(0.1):  # a server that is away needs the processor itself
                        return refused
                if next(saved) == _WRITERS:
                    under_load.set()
            return refused

        running = pool.map(work, range(_WRITERS))
        under_load.wait()
        try:
            stop()
            start_again()
        except BaseException:
            given_up.set()
            raise
        refused = sum(running)
        memory.settle()
        log = drive(memory.store.read(memory.conversation_id))
    tally.tried += 1
    tally.places["errors"] += refused
    tally.check_log(log, [f"{worker}-{number}" for worker in range(_WRITERS) for number in range(_EXCHANGES)])
    tally.check_equal([entry.seq for entry in log], list(range(1, len(log) + 1)), "the numbers of the log")


def _saved(memory: BaseMemory, turn_id: str, number: int) -> bool:
    try:
        memory.save_context(*said(number), turn_id=turn_id)
    except StoreError:
        return False
    return True
