"""Lets processes share one conversation with a slow model, and counts turns that are learnt twice or lost.

`python -m tools.faults.learners` prints the number of model calls on SQLite, on PostgreSQL behind PgBouncer, and on
Redis. Turns arrive faster than the model answers, and saves return at once (`learn="background"`), like the requests of
a web server with several workers.
"""

import contextlib
import os
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from memzoo.memories import BaseMemory, create_memory
from memzoo.stores import open_store
from memzoo.sync import drive
from tests.clerk import clerk, eager
from tests.poolers import PgBouncer
from tests.postgres import PostgresServer
from tests.redis_servers import RedisServer, free_ports, wait_for
from tools.faults.lives import PROCESSES, end, start
from tools.faults.notes import Notes
from tools.faults.scenarios import ASKING, CONVERSATION

__all__ = ["STORES", "Learnt", "Talk", "talked"]

_NEW = re.compile(r"<new_lines>\n(.*?)\n</new_lines>", re.DOTALL)
_TURN = re.compile(r"#(\d+)#")


@dataclass(frozen=True)
class Talk:
    """The conversation that the processes share.

    Attributes:
        store: The URL of a new store.
        strategy: The name of the strategy.
        notes: The file in which processes note the begin and end of each model call, and each finished save.
        turns: The number of turns.
        every: The seconds from one turn to the next.
        model: The seconds that the model takes to answer.
        leases: False to learn without leases.
    """

    store: str
    strategy: str
    notes: Notes
    turns: int = 30
    every: float = 0.2
    model: float = 0.3
    leases: bool = True


@dataclass(frozen=True)
class Learnt:
    """The counts after a talk.

    Attributes:
        calls: The number of model calls to learn.
        cut: The number of these calls that did not end.
        twice: The number of turns from which more than one finished call learnt.
        unlearnt: The number of turns from which no finished call learnt.
        lost: The number of turns whose save returned, but that are not stored.
    """

    calls: int
    cut: int
    twice: int
    unlearnt: int
    lost: int


def talked(talk: Talk, processes: int, *, kill_in_call: int = 0) -> Learnt:
    """Let processes save turns alternately, let one process learn the rest, and return the counts.

    Args:
        talk: The talk.
        processes: The number of processes.
        kill_in_call: The number of a model call, from 1: the process of this call is killed (-9) while it waits for the
            answer, and replaced by a new process. 0 for no kill.
    """
    workers = [_Worker(talk) for _ in range(processes)]
    begun = time.monotonic()
    for number in range(talk.turns):
        while (left := begun + number * talk.every - time.monotonic()) > 0:
            time.sleep(min(left, 0.01))
            if kill_in_call and (pid := _caller(talk, kill_in_call)):
                kill_in_call = 0
                workers = [_Worker(talk) if one.killed(pid) else one for one in workers]
        workers[number % processes].say(number)
    for worker in workers:
        worker.end()
    saved = {turn for note in talk.notes.all("saved") for turn in note.numbers}
    last = _Worker(talk)
    for number in sorted({*range(talk.turns)} - saved):  # what a killed one was told, and did not come to
        last.say(number)
    last.say("settle")
    last.end()
    calls = Counter(note.kind for note in talk.notes.all())
    learnt = Counter(turn for note in talk.notes.all("learnt") for turn in note.numbers)
    with open_store(talk.store) as store:
        stored = {entry.turn_id for entry in drive(store.read(CONVERSATION))}
    # What was said last, a summary buffer shows as it is.
    due = range(talk.turns - (talk.strategy == "summary-buffer"))
    return Learnt(
        calls=calls["asked"],
        cut=calls["asked"] - calls["learnt"],
        twice=sum(times > 1 for times in learnt.values()),
        unlearnt=len({*due} - {*learnt}),
        lost=len(saved - {int(turn.removeprefix("turn-")) for turn in stored}),
    )


class _Worker:
    """A process with a memory of the conversation, controlled over a pipe."""

    def __init__(self, talk: Talk) -> None:
        self._pipe, there = PROCESSES.Pipe()
        self._process = start(_work, talk, there)
        there.close()
        self._pipe.recv()

    def say(self, what: int | str) -> None:
        """Tell the process to save this turn, or to learn the rest; do not wait for the result."""
        self._pipe.send(what)

    def killed(self, pid: int) -> bool:
        """If the process has this id, kill the process; return whether it was killed."""
        if self._process.pid != pid:
            return False
        os.kill(pid, signal.SIGKILL)
        end(self._process)
        return True

    def end(self) -> None:
        """Wait until the process has done all orders and finished learning.

        Raises:
            RuntimeError: The process ended with an error (its traceback is on standard error).
        """
        self._pipe.send(None)
        if code := end(self._process):
            raise RuntimeError(f"a process ended with {code}")


def _work(talk: Talk, pipe: Connection) -> None:
    with open_store(talk.store) as store:
        options: dict[str, Any] = {"store": store, "conversation_id": CONVERSATION, "learn": "background"}
        memory = create_memory(talk.strategy, **options, **_slow(talk))
        for learner in memory.learners:
            learner.lease_seconds = learner.lease_seconds if talk.leases else 0.0
        pipe.send("ready")
        while (told := pipe.recv()) is not None:
            if told == "settle":
                memory.settle()
            else:
                _take_turn(memory, told)
                talk.notes.add("saved", [told])
        for learner in memory.learners:
            drive(learner.wait())


def _take_turn(memory: BaseMemory, number: int) -> None:
    memory.load_memory_variables({"input": "What does Sam like?"})
    memory.save_context({"input": f"#{number}# Sam likes tea{number}"}, {"output": "ok"}, turn_id=f"turn-{number}")


def _slow(talk: Talk) -> dict[str, Any]:
    """Return a strategy's options with a slow model or embedder, which notes the turns of each call."""
    options = eager(talk.strategy, clerk)

    def asked(function: Callable[[Any], Any], given: Any, text: str) -> Any:
        turns = sorted({int(turn) for turn in _TURN.findall(text)})
        if not turns:  # a search
            return function(given)
        talk.notes.add("asked", turns)
        time.sleep(talk.model)
        answer = function(given)
        talk.notes.add("learnt", turns)
        return answer

    def llm(messages: Any) -> Any:
        return asked(clerk, messages, "".join(_NEW.findall(messages[-1]["content"])))

    def embedder(texts: list[str]) -> Any:
        return asked(options["embedder"], texts, " ".join(texts))

    return {**options, "embedder": embedder} if "embedder" in options else {**options, "llm": llm}


def _caller(talk: Talk, number: int) -> int:
    """Return the id of the process that made the call with this number, from 1; 0 if the call has not begun."""
    asked = talk.notes.all("asked")
    return asked[number - 1].pid if len(asked) >= number else 0


@contextlib.contextmanager
def _sqlite(folder: Path) -> Generator[Callable[[], str]]:
    yield lambda: f"sqlite:///{tempfile.mkdtemp(dir=folder)}/talk.db"


@contextlib.contextmanager
def _postgres(folder: Path) -> Generator[Callable[[], str]]:
    server = PostgresServer(folder / "postgres")
    try:
        with contextlib.closing(PgBouncer(server)) as pooler:
            yield lambda: pooler.url(server.new_database())
    finally:
        server.cleanup()


@contextlib.contextmanager
def _redis(folder: Path) -> Generator[Callable[[], str]]:
    with contextlib.closing(RedisServer(folder / "redis", free_ports(1)[0])) as server:

        def new() -> str:
            with contextlib.closing(server.client()) as client:
                wait_for(client.flushall)
            return f"redis://127.0.0.1:{server.port}/0"

        yield new


STORES = {"SQLite": _sqlite, "PostgreSQL behind PgBouncer": _postgres, "Redis": _redis}
"""Functions that make a new store of each kind for the duration of a block."""


def main(
    stores: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(map(repr, STORES))}.")] = None,
    strategies: Annotated[list[str] | None, typer.Option("--strategy", help=f"Of {', '.join(ASKING)}.")] = None,
    turns: Annotated[int, typer.Option(help="How many turns a talk has.")] = 30,
) -> None:
    """Count model calls with 1, 2 and 4 processes, with 4 without leases, and with 2 of which one is killed."""
    console, most, sound = Console(soft_wrap=True), 0.0, True
    console.print(
        "| store | strategy | 1 | 2 | 4 | 4 without leases | 2, one killed (calls cut) | twice | lost |", markup=False
    )
    console.print("|---|---|--:|--:|--:|--:|--:|--:|--:|", markup=False)
    for store in stores or STORES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, STORES[store](Path(name)) as new:

            def run(strategy: str, processes: int, *, leases: bool = True, kill: int = 0) -> Learnt:
                notes = Notes(Path(tempfile.mkdtemp(dir=name)) / "notes")
                talk = Talk(new(), strategy, notes, turns=turns, leases=leases)
                return talked(talk, processes, kill_in_call=kill)

            for strategy in strategies or ASKING:
                one, two, four = (run(strategy, processes) for processes in (1, 2, 4))
                without, killed = run(strategy, 4, leases=False), run(strategy, 2, kill=3)
                whole = (one, two, four, killed)
                twice, lost = sum(told.twice for told in whole), sum(told.lost + told.unlearnt for told in whole)
                cut = f"{killed.calls} ({killed.cut})"
                figures = [one.calls, two.calls, four.calls, without.calls, cut, twice, lost]
                console.print(f"| {store} | {strategy} | {' | '.join(map(str, figures))} |", markup=False)
                most = max(most, two.calls / one.calls, four.calls / one.calls)
                sound &= not (twice or lost) and killed.cut <= 1
    console.print(f"At most {most:.2f} times the calls of one process.")
    raise typer.Exit(code=not (sound and most <= 1.1))


if __name__ == "__main__":
    typer.run(main)
