"""Processes write one graph by tool calls, and are killed repeatedly: `make mcp-faults`."""

import sqlite3
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated

import typer

from memzoo.hosts.mcp.calls import WRITES, parse_arguments
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.reading import graph_of
from memzoo.stores import open_store
from memzoo.sync import drive
from tools.faults.lives import PROCESSES, end, start

__all__ = ["Counted", "write_and_kill"]


@dataclass(frozen=True)
class Counted:
    """The counts after the run.

    Attributes:
        acknowledged: The number of writes that returned.
        kills: The number of killed processes.
        lost: The number of acknowledged entities that are missing from the graph.
        doubled: The number of entities that are in the graph more than once.
        halves: The number of entities without their observation.
        same: True if the graph is the same after a restart and after learning again, and the file has no damage.
    """

    acknowledged: int
    kills: int
    lost: int
    doubled: int
    halves: int
    same: bool


def write_and_kill(file: Path, *, processes: int, writes: int, kill_every: int) -> Counted:
    """Let processes write to one memory at the same time, and kill processes meanwhile.

    Args:
        file: The file of the store.
        processes: The number of processes.
        writes: The number of entities that each process creates.
        kill_every: The number of acknowledged writes after which a process is killed and another continues; 0 for
            never.
    """
    url = f"sqlite:///{file}"
    open_store(url).close()
    with ThreadPoolExecutor(processes) as pool:
        lives = [pool.submit(_writer, url, number, writes, kill_every) for number in range(processes)]
        told = [life.result() for life in lives]
    names = [name for acknowledged, _ in told for name in acknowledged]
    return _counted(url, file, names, kills=sum(kills for _, kills in told))


def _writer(url: str, number: int, writes: int, kill_every: int) -> tuple[list[str], int]:
    """Run one writer, restarted after each kill; return the acknowledged names and the number of kills."""
    acknowledged: list[str] = []
    kills = 0
    while len(acknowledged) < writes:
        pipe, there = PROCESSES.Pipe(duplex=False)
        process = start(_write, url, number, len(acknowledged), writes, there)
        there.close()
        try:
            while not kill_every or len(acknowledged) < (kills + 1) * kill_every:
                acknowledged.append(pipe.recv())
            process.kill()
            kills += 1
        except EOFError:
            pass
        pipe.close()
        code = end(process)
        if code > 0:
            raise RuntimeError(f"writer {number} ended with {code}")
    return acknowledged, kills


def _write(url: str, number: int, first: int, last: int, pipe: Connection) -> None:
    with closing(open_store(url)) as store:
        memory = GraphMemory(store=store, conversation_id="graph")
        for place in range(first, last):
            name = f"{number}-{place}"
            one = {"name": name, "entityType": "test", "observations": [f"said by {number}"]}
            memory.write(parse_arguments(WRITES["create_entities"], {"entities": [one]}, "create_entities"))
            pipe.send(name)


def _counted(url: str, file: Path, names: list[str], *, kills: int) -> Counted:
    with closing(open_store(url)) as store:
        memory = GraphMemory(store=store, conversation_id="graph")
        graph = graph_of(drive(memory.alist_notes()))
        memory.relearn()
        again = GraphMemory(store=store, conversation_id="graph")
        same = graph == graph_of(drive(again.alist_notes()))
    with closing(sqlite3.connect(file)) as opened:
        sound = opened.execute("pragma integrity_check").fetchone() == ("ok",)
    found = Counter(entity["name"] for entity in graph["entities"])
    halves = sum(
        entity["observations"] != [f"said by {entity['name'].partition('-')[0]}"] for entity in graph["entities"]
    )
    doubled = sum(count - 1 for count in found.values())
    return Counted(len(names), kills, len({*names} - found.keys()), doubled, halves, same=same and sound)


def main(
    processes: Annotated[int, typer.Option()] = 8,
    writes: Annotated[int, typer.Option()] = 1000,
    kill_every: Annotated[int, typer.Option(help="0 for never.")] = 100,
) -> None:
    """Let processes write and be killed, and count lost, doubled and incomplete entities."""
    with tempfile.TemporaryDirectory() as name:
        counted = write_and_kill(Path(name) / "mcp.db", processes=processes, writes=writes, kill_every=kill_every)
    typer.echo(repr(counted))
    sys.exit(bool(counted.lost or counted.doubled or counted.halves or not counted.same))


if __name__ == "__main__":
    typer.run(main)
