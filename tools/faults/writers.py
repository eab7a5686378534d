"""Processes that write one graph by calls of tools, and are killed again and again: `make mcp-faults`."""

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
    """What was there afterwards.

    Attributes:
        acknowledged: Writes that returned.
        kills: Processes that were killed.
        lost: Acknowledged entities that are not in the graph.
        doubled: Entities that are in it more than once.
        halves: Entities without their observation.
        same: After a restart, and learnt anew from the log, the graph is the same; and the file is sound.
    """

    acknowledged: int
    kills: int
    lost: int
    doubled: int
    halves: int
    same: bool


def write_and_kill(file: Path, *, processes: int, writes: int, kill_every: int) -> Counted:
    """Let processes write to one memory at the same time.

    Args:
        file: The store's.
        processes: How many.
        writes: How many entities each of them creates.
        kill_every: After so many acknowledged writes a process is killed, and another one goes on; 0 for never.
    """
    url = f"sqlite:///{file}"
    open_store(url).close()
    with ThreadPoolExecutor(processes) as pool:
        lives = [pool.submit(_writer, url, number, writes, kill_every) for number in range(processes)]
        told = [life.result() for life in lives]
    names = [name for acknowledged, _ in told for name in acknowledged]
    return _counted(url, file, names, kills=sum(kills for _, kills in told))


def _writer(url: str, number: int, writes: int, kill_every: int) -> tuple[list[str], int]:
    """One writer's life, or lives: the names that were acknowledged, and how often it was killed."""
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
    """Count what is lost, doubled or not whole."""
    with tempfile.TemporaryDirectory() as name:
        counted = write_and_kill(Path(name) / "mcp.db", processes=processes, writes=writes, kill_every=kill_every)
    typer.echo(repr(counted))
    sys.exit(bool(counted.lost or counted.doubled or counted.halves or not counted.same))


if __name__ == "__main__":
    typer.run(main)
