"""The fault "concurrency": threads, tasks and processes save at the same time, to one or several conversations."""

import asyncio
import contextlib
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from memzoo.memories import BaseMemory
from memzoo.stores import Entry, InMemoryStore, Message, open_store
from memzoo.sync import drive
from tests.clerk import clerk
from tools.faults.lives import PROCESSES, end, start
from tools.faults.places import Places
from tools.faults.scenarios import SEVEN, Ports, Scenario, noon, opened, remember, said
from tools.faults.tally import Cell, Tally

__all__ = ["WAYS", "at_once", "cells", "uncredited"]

_WORKERS = {"8 threads": 8, "8 tasks": 8, "4 processes": 4}
WAYS = list(_WORKERS)


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each strategy, each store that processes can share, and each kind of worker."""
    for store in ("sqlite", "postgresql"):
        for strategy in SEVEN:
            new = functools.partial(places.scenario, strategy, store)
            yield Tally("concurrency", strategy, store), functools.partial(_in_all_ways, new=new)


def _in_all_ways(tally: Tally, new: Callable[[], Scenario]) -> None:
    for way in WAYS:
        for conversations in (1, 3):
            at_once(tally, new(), way, conversations=conversations)


def at_once(tally: Tally, scenario: Scenario, way: str, *, conversations: int, turns: int = 5) -> None:
    """Let several workers save at the same time: turns of their own, and turns that every worker saves."""
    ids = [f"talk-{number % conversations}" for number in range(_WORKERS[way])]
    with opened(scenario):  # so that it is there
        pass
    {"8 threads": _threads, "8 tasks": _tasks, "4 processes": _processes}[way](scenario, ids, turns)
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        for id_ in sorted(set(ids)):
            memory = remember(scenario.strategy, store, conversation_id=id_)
            memory.settle()
            workers = [str(worker) for worker, own in enumerate(ids) if own == id_]
            _check(tally, drive(store.read(id_)), workers, turns)
            _check_state(tally, memory)
            tally.places[f"{way}, {conversations} conversations"] += 1


def _check(tally: Tally, log: list[Entry], workers: list[str], turns: int) -> None:
    expected = [f"{worker}-{turn}" for worker in [*workers, "shared"] for turn in range(turns)]
    tally.tried += len(expected)
    tally.check_log(log, expected)
    tally.check_equal([entry.seq for entry in log], list(range(1, len(log) + 1)), "the numbers of the log")
    order: dict[str, list[str]] = defaultdict(list)
    for entry in log[::2]:
        worker, _, turn = entry.turn_id.partition("-")
        order[worker].append(turn)
    for worker in workers:
        tally.check_equal(order[worker], sorted(order[worker]), f"the order of writer {worker}")
    pairs = [(one.turn_id, other.turn_id) for one, other in zip(log[::2], log[1::2], strict=True)]
    tally.check_equal([one for one, other in pairs if one != other], [], "turns that others were mixed into")


def _check_state(tally: Tally, memory: BaseMemory) -> None:
    """Check that the learnt state equals the state that a single writer learns from the same log."""
    alone = remember(memory.name, InMemoryStore(clock=noon), conversation_id="alone")
    log = drive(memory.store.read(memory.conversation_id))
    for first, second in zip(log[::2], log[1::2], strict=True):
        alone.add_messages([first.message, second.message], turn_id=first.turn_id)
    states = [drive(one.store.read_state(one.conversation_id, one.learners[0].name)) for one in (memory, alone)]
    found, expected = [(state.watermark, uncredited(state.changes)) for state in states]
    tally.check_equal(found, expected, "the state")


def uncredited(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state's items without message numbers: those that stated, and those that superseded, a fact."""
    # What is said twice in exchanges that are learnt from together is credited to one of the two messages, and what is
    # said again later to the later one. How many are learnt from together depends on who comes first, so only whether
    # a fact holds can be compared.
    return {key: _holds(item) for key, item in items.items()}


def _holds(item: Any) -> Any:
    match item:
        case {"statements": _}:
            return _uncredited_note(item)
        case {"superseded_by": seq}:
            # Nor can when it was superseded: by the clock of another run.
            return {**item, "sources": [], "superseded_by": bool(seq), "superseded_at": bool(item.get("superseded_at"))}
        case _:
            return item


def _uncredited_note(note: dict[str, Any]) -> dict[str, Any]:
    return {**note, "statements": [{**one, "seq": []} for one in note["statements"]]}


async def _work(memory: BaseMemory, worker: int, turns: int) -> None:
    for turn in range(turns):
        for name, own in ((f"{worker}-{turn}", worker), (f"shared-{turn}", 100)):
            await memory.asave_context(*said(10 * own + turn), turn_id=name)
            await memory.amessages("What does Sam like?")


def _threads(scenario: Scenario, ids: list[str], turns: int) -> None:
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store, ThreadPoolExecutor(len(ids)) as pool:
        shared = {id_: remember(scenario.strategy, store, conversation_id=id_) for id_ in ids}
        work = [_work(shared[id_], worker, turns) for worker, id_ in enumerate(ids)]
        list(pool.map(drive, work))


def _tasks(scenario: Scenario, ids: list[str], turns: int) -> None:
    async def answer(messages: list[Message]) -> str:
        await asyncio.sleep(0)
        return clerk(messages)

    async def work() -> None:
        with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
            made = [remember(scenario.strategy, store, Ports(llm=answer), conversation_id=id_) for id_ in ids]
            await asyncio.gather(*(_work(memory, worker, turns) for worker, memory in enumerate(made)))

    asyncio.run(work())


def _processes(scenario: Scenario, ids: list[str], turns: int) -> None:
    ready = PROCESSES.Barrier(len(ids))
    running = [start(_process, scenario, id_, worker, turns, ready) for worker, id_ in enumerate(ids)]
    for process in running:
        if code := end(process):
            raise RuntimeError(f"a writer of {scenario} ended with {code}")


def _process(scenario: Scenario, id_: str, worker: int, turns: int, ready: Any) -> None:
    with opened(scenario, conversation_id=id_) as memory:
        ready.wait()
        drive(_work(memory, worker, turns))
