"""A process that talks until it is killed, and the reports that it sends meanwhile."""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory
from memzoo.sync import drive
from tools.faults.scenarios import QUESTION, Ports, Scenario, aoutcome, opened, said
from tools.faults.steps import Steps

__all__ = ["PROCESSES", "Life", "Told", "end", "killed", "live", "start", "tell"]

# A server process that has imported everything, and holds no thread and no connection, forks the others.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tools.faults.lives", "tools.faults.warm"])
# To start a process is to look after those that other threads wait for.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Life:
    """The orders for a process.

    Attributes:
        scenario: The strategy and the store of its memory.
        first: The number of the first exchange to save; the exchange may be stored already.
        last: The number of the exchange before which the process stops.
        kill_at: The exchange and the step at which the process kills itself; `None` for never.
        asynchronous: True to use the asynchronous methods.
        seed: The seed of the talk.
    """

    scenario: Scenario
    first: int
    last: int
    kill_at: tuple[int, int] | None = None
    asynchronous: bool = False
    seed: int = 0


@dataclass
class Told:
    """The reports of a process.

    Attributes:
        killed: True if the process was killed, and did not end by itself.
        saved: The exchanges whose save returned.
        views: The view before each exchange except the first, by the exchange's number.
        steps: The labels of the steps of each exchange.
        outcome: The outcome at the end, if the process reached its end.
        killed_at: The label of the step at which the process was killed.
    """

    killed: bool = False
    saved: list[int] = field(default_factory=list[int])
    views: dict[int, Any] = field(default_factory=dict[int, Any])
    steps: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    outcome: dict[str, Any] | None = None
    killed_at: str = ""


def live(life: Life, *, kill_after: float | None = None) -> Told:
    """Run a process, and return its reports; kill it `kill_after` seconds after it has opened its memory, if given.

    Raises:
        RuntimeError: The process ended by itself, with an error (its traceback is on standard error).
    """
    told, (pipe, there) = Told(), PROCESSES.Pipe()
    process = start(_talk, life, there)
    there.close()
    with pipe:
        for kind, *values in _messages(process, pipe, kill_after):
            match kind:
                case "saved":
                    told.saved.append(values[0])
                    told.views[values[0]], told.steps[values[0]] = values[1:]
                case "killed at":
                    told.killed_at = values[0]
                case "outcome":
                    told.outcome = values[0]
                case _:
                    pass
    code = end(process)
    told.killed = code == -signal.SIGKILL
    if code and not told.killed:
        raise RuntimeError(f"{life} ended with {code}")
    return told


def start(work: Callable[..., None], *arguments: Any) -> Any:
    """Start a process that does some work, and return the process."""
    process = PROCESSES.Process(target=work, args=arguments, daemon=True)
    with _ONE_AT_A_TIME:
        process.start()
    return process


def end(process: Any) -> int:
    """Wait for the end of a process, and return its exit code."""
    with _ONE_AT_A_TIME:
        process.join()
        code: int = process.exitcode
        process.close()
    return code


def _messages(process: Any, pipe: Connection, kill_after: float | None) -> Iterator[Any]:
    """Yield all messages from the pipe until the process has ended."""
    end = None
    while True:
        if end is not None and not pipe.poll(max(end - time.monotonic(), 0)):
            process.kill()
            end = None
        try:
            message = pipe.recv()
        except (EOFError, OSError):  # the latter, if it was killed in mid-sentence
            return
        if message == ("open",) and kill_after is not None:
            end = time.monotonic() + kill_after
        yield message


def _talk(life: Life, pipe: Connection) -> None:
    def kill(label: str) -> None:
        pipe.send(("killed at", label))
        os.kill(os.getpid(), signal.SIGKILL)

    steps = Steps(life.kill_at, kill)
    steps.watch_sql()
    steps.begin(life.first)
    with opened(life.scenario, steps.ports(Ports())) as memory:
        pipe.send(("open",))
        talk = _turns(life, memory, steps, pipe)
        asyncio.run(talk) if life.asynchronous else drive(talk)
    pipe.close()


async def _turns(life: Life, memory: BaseMemory, steps: Steps, pipe: Connection) -> None:
    for number in range(life.first, life.last):
        inputs, outputs = said(number, life.seed)
        view = await memory.amessages(QUESTION) if number > life.first else None
        await memory.asave_context(inputs, outputs, turn_id=f"turn-{number}")
        pipe.send(("saved", number, view, steps.begin(number + 1)))
    pipe.send(("outcome", await aoutcome(memory)))


def tell(pipe: Connection | None, what: str) -> None:
    """Send a message over a pipe, if there is a pipe."""
    if pipe is not None:
        pipe.send(what)


def killed(work: Callable[..., Any], *arguments: Any, after: float) -> tuple[set[str], bool]:
    """Kill a process `after` seconds after its first report; return its reports, and whether the kill ended it."""
    pipe, there = PROCESSES.Pipe(duplex=False)
    process = start(work, *arguments, there)
    there.close()
    told = set[str]()
    with pipe, contextlib.suppress(EOFError, OSError):
        pipe.recv()
        killing = time.monotonic() + after
        while True:
            if not pipe.poll(max(killing - time.monotonic(), 0)):
                process.kill()
            told.add(pipe.recv())
    code = end(process)
    if code > 0:
        raise StoreError(f"a process that was not killed ended with {code}")
    return told, code < 0
