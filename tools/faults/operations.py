"""The fault "operations": a process is killed while it forgets, clears, imports or the like; another saves."""

import contextlib
import functools
import os
import random
import signal
import sqlite3
from collections.abc import Callable, Generator, Iterator
from typing import Any

import sqlalchemy as sa

from memzoo.memories import create_memory
from memzoo.stores import ManagedStore, export_conversation, import_conversation, open_store
from memzoo.stores.sql import schema
from memzoo.sync import drive
from tools.faults.lives import PROCESSES, end, start
from tools.faults.places import Places
from tools.faults.scenarios import CONVERSATION, Scenario, aoutcome, noon, remember, said
from tools.faults.steps import Steps
from tools.faults.tally import Cell, Tally

__all__ = ["OPERATIONS", "cells", "kill_in"]

_STRATEGY = "combined"
_EXCHANGES, _FORGOTTEN = 4, [1, 2, 5]
_OTHER = "other"


def _forget(store: ManagedStore) -> None:
    memory = remember(_STRATEGY, store)
    there = {entry.seq for entry in drive(store.read(CONVERSATION))}
    if found := sorted(there.intersection(_FORGOTTEN)):
        memory.forget(found)
    memory.settle()


def _clear(store: ManagedStore) -> None:
    remember(_STRATEGY, store).clear()


def _import(store: ManagedStore) -> None:
    if not drive(store.read("copy", limit=1)):
        import_conversation(store, list(export_conversation(store, CONVERSATION)), "copy")


def _scrub(store: ManagedStore) -> None:
    drive(store.scrub(thorough=True))


def _relearn(store: ManagedStore) -> None:
    remember(_STRATEGY, store).relearn()


def _pin(store: ManagedStore) -> None:
    remember(_STRATEGY, store).pin(3)


def _add_pinned(store: ManagedStore) -> None:
    rule = {"role": "user", "content": "Never delete the zebra table."}
    remember(_STRATEGY, store).add_messages(
        [rule, {"role": "assistant", "content": "Never."}], turn_id="p", pinned=True
    )


def _open(store: ManagedStore) -> None:
    """Do nothing: opening the store is the whole operation."""


# Another one is one more line here.
OPERATIONS: dict[str, Callable[[ManagedStore], None]] = {
    "forget": _forget,
    "clear": _clear,
    "import": _import,
    "scrub": _scrub,
    "relearn": _relearn,
    "pin": _pin,
    "add pinned": _add_pinned,
    "upgrade": _open,
}
"""The operations on a store with a conversation, by name; an operation repeated after a kill has the same result."""


def cells(places: Places, kills: int) -> Iterator[Cell]:
    """Yield a cell for each operation and each store that processes can share; an upgrade only for SQLite."""
    for store in ("sqlite", "postgresql"):
        for name in OPERATIONS:
            if (name, store) != ("upgrade", "postgresql"):
                new = functools.partial(places.scenario, "buffer", store)
                yield Tally("operations", name, store), functools.partial(kill_in, new=new, kills=kills)


def kill_in(tally: Tally, new: Callable[[], Scenario], kills: int, *, seed: int = 0) -> None:
    """Kill a process at up to `kills` steps of an operation, each time on a new store; `tally` names the operation."""
    with _newer_schema(tally.strategy):
        _kill_at_steps(tally, new, kills, seed)


@contextlib.contextmanager
def _newer_schema(name: str) -> Generator[None]:
    """For the operation "upgrade", give this process a newer schema than the files have; else do nothing."""
    before = schema.STEPS, schema.VERSION
    if name == "upgrade":
        schema.STEPS, schema.VERSION = [_add_mood], 2
    try:
        yield
    finally:
        schema.STEPS, schema.VERSION = before


def _add_mood(connection: sa.Connection) -> None:
    for statement in (
        "ALTER TABLE memzoo_messages ADD COLUMN mood TEXT",
        "UPDATE memzoo_messages SET mood = 'good'",
        "CREATE INDEX memzoo_messages_by_mood ON memzoo_messages (mood)",
    ):
        connection.exec_driver_sql(statement)


def _kill_at_steps(tally: Tally, new: Callable[[], Scenario], kills: int, seed: int) -> None:
    whole = _filled(tally, new())
    labels = _done(tally.strategy, whole, 0)
    expected, before = _content(whole), _content(_filled(tally, new()))
    chance = random.Random(f"{seed} {tally.strategy} {tally.store}")  # noqa: S311 - chance that repeats
    steps = range(1, len(labels) + 1)
    for step in sorted(chance.sample(steps, min(kills, len(steps)))):
        scenario = _filled(tally, new())
        acknowledged, label = _killed(tally.strategy, scenario, step)
        tally.tried += 1
        tally.places[label] += 1
        found = _content(scenario)
        if found["log"] not in (before["log"], expected["log"]):
            tally.check_equal(found["log"], expected["log"], f"the log after a kill {label}")
        with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
            OPERATIONS[tally.strategy](store)
            tally.check_log(drive(store.read(_OTHER)), acknowledged)
        tally.check_equal(_content(scenario), expected, f"the outcome after a kill {label}")


def _filled(tally: Tally, scenario: Scenario) -> Scenario:
    """Return a scenario whose store has content for the operation."""
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        memory = remember(_STRATEGY, store)
        for number in range(_EXCHANGES):
            memory.save_context(*said(number), turn_id=f"turn-{number}")
    if tally.strategy == "upgrade":
        with contextlib.closing(sqlite3.connect(scenario.store.removeprefix("sqlite:///"))) as file, file:
            file.execute("UPDATE memzoo_meta SET value = 1 WHERE key = 'schema'")
    return scenario


def _content(scenario: Scenario) -> dict[str, Any]:
    """Return the content of all conversations, except the conversation of the other process."""
    with contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        ids = [id_ for id_ in drive(store.conversations()) if id_ != _OTHER]
        memories = {id_: remember(_STRATEGY, store, conversation_id=id_) for id_ in ids}
        # First of all, before anybody could repair anything.
        pinned = {id_: memory.pin() for id_, memory in memories.items()}
        content = {id_: drive(aoutcome(memory)) for id_, memory in memories.items()}
    return {"log": {id_: (content[id_]["log"], pinned[id_]) for id_ in ids}, **content}


def _killed(name: str, scenario: Scenario, step: int) -> tuple[list[str], str]:
    """Kill a process at a step of an operation; return the turns that another process saved, and the step's label."""
    pipe, there = PROCESSES.Pipe()
    writer = start(_write, name, scenario, there)
    there.close()
    pipe.recv()
    label = _done(name, scenario, step)[-1]
    writer.kill()
    end(writer)
    saved: list[str] = []
    with pipe, contextlib.suppress(EOFError, OSError):
        while True:
            saved.append(pipe.recv())
    return saved, label


def _write(name: str, scenario: Scenario, pipe: Any) -> None:
    # A file that is to be upgraded stays as it is until the operation has begun.
    pipe.send("ready")
    with _newer_schema(name), contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        memory = create_memory("buffer", store=store, conversation_id=_OTHER)
        number = 0
        while True:
            memory.save_context(*said(number), turn_id=f"turn-{number}")
            pipe.send(f"turn-{number}")
            number += 1


def _done(name: str, scenario: Scenario, step: int) -> list[str]:
    """Let a process do an operation, or be killed at a step; return the labels of the steps so far."""
    pipe, there = PROCESSES.Pipe()
    process = start(_operate, name, scenario, step, there)
    there.close()
    labels: list[str] = []
    with pipe, contextlib.suppress(EOFError, OSError):
        while True:
            labels.append(pipe.recv())
    if (code := end(process)) not in (0, -signal.SIGKILL):
        raise RuntimeError(f"{name} on {scenario} ended with {code}")
    return labels


def _operate(name: str, scenario: Scenario, step: int, pipe: Any) -> None:
    def reached(label: str) -> None:
        pipe.send(label)
        if len(steps.labels) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    steps = Steps(None, lambda _: None, each=reached)
    steps.watch_sql()
    with _newer_schema(name), contextlib.closing(open_store(scenario.store, clock=noon)) as store:
        OPERATIONS[name](store)
    pipe.close()
