"""The fault "contention": a process forks while its threads save, or writers wait for a locked file."""

import asyncio
import contextlib
import functools
import importlib
import os
import random
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from memzoo.errors import StoreError
from memzoo.stores import ManagedStore, open_store
from memzoo.sync import drive
from tools.faults.lives import PROCESSES, end, start
from tools.faults.places import Places
from tools.faults.scenarios import Scenario, noon, remember, said
from tools.faults.tally import Cell, Tally

__all__ = ["WRITERS", "fork_cells", "forks", "waiting_cells", "waits"]

WRITERS = 6
_TIMEOUT = 0.5
# What a call may take besides: machines are slow at times. Six waits that add up take far longer.
_SLACK = 1.5


def fork_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each store that processes can share."""
    for store in ("sqlite", "postgresql"):
        new = functools.partial(places.scenario, "summary", store)
        yield Tally("fork", "summary", store), functools.partial(forks, new=new, children=kills)


def waiting_cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield cells for SQLite only, because only SQLite has one lock for all writers."""
    for strategy in ("buffer", "summary"):
        new = functools.partial(places.scenario, strategy, "sqlite")
        yield Tally("waiting", strategy, "sqlite"), functools.partial(waits, new=new, rounds=max(kills // 10, 1))


def forks(tally: Tally, new: Callable[[], Scenario], children: int) -> None:
    """Fork a process `children` times while four of its threads save; each child saves three exchanges."""
    scenario, (pipe, there) = new(), PROCESSES.Pipe()
    process = start(_fork, scenario, children, there)
    there.close()
    with pipe:
        failed, acknowledged = pipe.recv()
    tally.wrong += (code := end(process)) != 0
    if failed or code:
        tally.wrong += failed
        tally.example(f"{failed} children failed, and the parent ended with {code}")
    tally.tried += children
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        for id_, turns in acknowledged.items():
            tally.check_log(drive(store.read(id_)), turns)


def _fork(scenario: Scenario, children: int, pipe: Any) -> None:
    # A fork while a thread imports a module would leave the child waiting for the module.
    importlib.import_module("tools.faults.warm")
    acknowledged: dict[str, list[str]] = {f"talk-{number}": [] for number in range(4)}
    failed, over = 0, False
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store, ThreadPoolExecutor(4) as pool:

        def save(id_: str) -> None:
            memory = remember(scenario.strategy, store, conversation_id=id_)
            while not over:
                turn = f"turn-{len(acknowledged[id_])}"
                memory.save_context(*said(len(acknowledged[id_])), turn_id=turn)
                acknowledged[id_].append(turn)

        running = [pool.submit(save, id_) for id_ in list(acknowledged)]
        for number in range(children):
            turns = [f"child-{number}-{place}" for place in range(3)]
            failed += _forked(functools.partial(_save, scenario.strategy, store, turns)) != 0
            acknowledged.setdefault("children", []).extend(turns)
        over = True
        for one in running:
            one.result()
    pipe.send((failed, acknowledged))


def _save(strategy: str, store: ManagedStore, turns: list[str]) -> None:
    memory = remember(strategy, store, conversation_id="children")
    for place, turn in enumerate(turns):
        memory.save_context(*said(place), turn_id=turn)


def _forked(work: Callable[[], None]) -> int:
    """Do the work in a forked child, and return the child's exit code; a child that hangs is killed."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    patience = time.monotonic() + 60
    while time.monotonic() < patience:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, 9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def waits(tally: Tally, new: Callable[[], Scenario], rounds: int, *, slack: float = _SLACK, seed: int = 0) -> None:
    """Lock a file for less or more than the time-out while threads, then tasks, try to save to the file.

    Three results count as wrong. First, a call that takes longer than the time-out by more than `slack` seconds and
    four times the duration of an unhindered call: waits may add up, or the event loop may stand still. Second, any
    error but a `StoreError`. Third, a log that differs from the reported outcomes.
    """
    chance = random.Random(f"{seed} {tally.strategy}")  # noqa: S311 - chance that repeats
    for number in range(rounds):
        scenario = new()
        url = f"{scenario.store}?timeout={_TIMEOUT}"
        for way in (_threads, _tasks):
            with contextlib.closing(open_store(url, clock=noon)) as store:
                ids, calm = ([f"{kind}{way.__name__}-{worker}" for worker in range(WRITERS)] for kind in ("", "calm"))
                for id_ in (*ids, *calm):  # all is set up before the file is held
                    remember(tally.strategy, store, conversation_id=id_).save_context(*said(0), turn_id="first")
                undisturbed = max(seconds for _, seconds in way(tally.strategy, store, calm, scenario, 0))
                held = chance.choice([0.05, 3 * _TIMEOUT])
                outcomes = way(tally.strategy, store, ids, scenario, held)
                _check(
                    tally,
                    store,
                    dict(zip(ids, outcomes, strict=True)),
                    f"round {number}, {way.__name__}",
                    slack + 4 * undisturbed,
                )


def _check(tally: Tally, store: ManagedStore, outcomes: dict[str, tuple[str, float]], what: str, slack: float) -> None:
    for id_, (outcome, seconds) in outcomes.items():
        tally.tried += 1
        tally.places[outcome] += 1
        turns = ["first", "second"] if outcome == "saved" else ["first"]
        log = drive(store.read(id_))
        tally.check_log(log, turns)
        there = sorted({entry.turn_id for entry in log})
        if there != turns and (outcome, there) != ("StoreError", ["first", "second"]):  # stored, and not learnt from
            tally.check_equal(there, turns, f"{what}: the turns after {outcome}")
        if seconds > _TIMEOUT + slack or outcome not in ("saved", "StoreError"):
            tally.wrong += 1
            tally.example(f"{what}: {outcome} after {seconds:.2f} s")


@contextlib.contextmanager
def _holding(scenario: Scenario) -> Generator[sqlite3.Connection]:
    file = scenario.store.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


def _threads(
    strategy: str, store: ManagedStore, ids: list[str], scenario: Scenario, held: float
) -> list[tuple[str, float]]:
    with ThreadPoolExecutor(len(ids)) as pool, _holding(scenario) as holder:
        running = [pool.submit(drive, _timed(strategy, store, id_)) for id_ in ids]
        time.sleep(held)
        holder.execute("ROLLBACK")
        return [one.result() for one in running]


def _tasks(
    strategy: str, store: ManagedStore, ids: list[str], scenario: Scenario, held: float
) -> list[tuple[str, float]]:
    async def work() -> list[tuple[str, float]]:
        with _holding(scenario) as holder:
            running = [asyncio.create_task(_timed(strategy, store, id_)) for id_ in ids]
            await asyncio.sleep(held)
            holder.execute("ROLLBACK")
            return list(await asyncio.gather(*running))

    return asyncio.run(work())


async def _timed(strategy: str, store: ManagedStore, id_: str) -> tuple[str, float]:
    memory, begun = remember(strategy, store, conversation_id=id_), time.monotonic()
    try:
        await memory.asave_context(*said(1), turn_id="second")
    except StoreError as error:
        return type(error).__name__, time.monotonic() - begun
    return "saved", time.monotonic() - begun
