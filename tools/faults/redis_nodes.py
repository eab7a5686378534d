"""Kills Redis servers (-9) while eight threads save: `python -m tools.faults.redis_nodes` prints the losses.

Unlike other faults, a lost save is not an error here: a replica that takes over may lack the last saves.
"""

import contextlib
import itertools
import math
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Console

from memzoo.errors import StoreError
from memzoo.stores import Record, open_store
from memzoo.sync import drive
from tests.redis_servers import RedisServer, cluster, free_ports, wait_for

__all__ = ["SETTINGS", "Count", "killed"]

_WRITERS, _CONVERSATIONS = 8, 3
_BETWEEN = 40  # saves, at least, from one kill to the next
_PAUSE = 0.05  # seconds until a save is tried again
_TOLD = 30.0  # seconds that a thread waits for the writers

Kill: TypeAlias = Callable[[], None]


@dataclass
class Count:
    """The counts of a run.

    Attributes:
        kills: The number of times that a server was killed.
        acknowledged: The turn ids of the saves that finally returned.
        refused: The number of saves that failed at first, and were repeated with the same turn id.
        lost: The number of acknowledged saves that are missing.
        doubled: The number of saves that are stored twice or in part.
    """

    kills: int = 0
    acknowledged: set[str] = field(default_factory=set[str])
    refused: int = 0
    lost: int = 0
    doubled: int = 0


@contextlib.contextmanager
def _alone(folder: Path, *options: str) -> Generator[tuple[str, Kill]]:
    server = RedisServer(folder, free_ports(1)[0], *options)

    def kill() -> None:
        server.kill()
        server.start()

    with contextlib.closing(server):
        yield f"redis://127.0.0.1:{server.port}/0", kill


@contextlib.contextmanager
def _replicated(folder: Path, *parameters: str) -> Generator[tuple[str, Kill]]:
    """Run a server that writes nothing to disk; after a kill, its replica's data is all that is left."""
    ports = free_ports(2)

    def following(own: int, other: int) -> RedisServer:
        return RedisServer(
            folder / str(own), own, "--repl-diskless-sync-delay", "0", "--replicaof", f"127.0.0.1 {other}"
        )

    def promote(server: RedisServer) -> None:
        with contextlib.closing(server.client()) as client:
            client.replicaof("NO", "ONE")

    primary, replica = following(ports[0], ports[1]), following(ports[1], ports[0])
    servers = [primary, replica]
    promote(primary)

    def kill() -> None:
        wait_for(lambda: all(map(_is_in_step, servers)))
        servers[0].kill()
        promote(replica)
        servers[0] = following(ports[0], ports[1])
        wait_for(lambda: _is_in_step(servers[0]))
        promote(servers[0])
        with contextlib.closing(replica.client()) as client:
            client.replicaof("127.0.0.1", ports[0])

    try:
        yield f"redis://127.0.0.1:{ports[0]}/0?{'&'.join(parameters)}", kill
    finally:
        for server in servers:
            server.kill()


@contextlib.contextmanager
def _clustered(folder: Path, *options: str) -> Generator[tuple[str, Kill]]:
    chance = random.Random(7)  # noqa: S311 - which one is killed need not be a secret
    with cluster(folder, *options) as servers:

        def kill() -> None:
            wait_for(lambda: all(map(_is_in_step, servers)))  # a replica that never had anything does not take over
            primary = chance.choice([one for one in servers if _role(one) == "master"])
            primary.kill()
            others = [one for one in servers if one is not primary]
            with contextlib.suppress(TimeoutError):  # none may be new enough to take over
                wait_for(
                    lambda: sum(_role(one) == "master" for one in others) == _PRIMARIES and all(map(_is_ok, others)), 30
                )
            primary.start()

        yield f"redis+cluster://127.0.0.1:{servers[0].port}", kill


_PRIMARIES = 3
_PATIENT = ("--cluster-node-timeout", "3000")  # servers that a busy machine keeps waiting are not taken for dead
SETTINGS: dict[str, tuple[Callable[..., contextlib.AbstractContextManager[tuple[str, Kill]]], Sequence[str]]] = {
    "one server, appendfsync always": (_alone, ("--appendonly", "yes", "--appendfsync", "always")),
    "one server, appendfsync everysec": (_alone, ("--appendonly", "yes", "--appendfsync", "everysec")),
    "a server whose replica takes over": (_replicated, ()),
    "a server whose replica takes over, wait=1": (_replicated, ("wait=1",)),
    "a cluster of six": (_clustered, ("--appendonly", "yes", *_PATIENT)),
    "a cluster of six, min-replicas-to-write 1": (
        _clustered,
        ("--appendonly", "yes", *_PATIENT, "--min-replicas-to-write", "1"),
    ),
}
"""The settings to test, by name, each with the servers to kill."""


def killed(setting: str, kills: int, minutes: float = math.inf, pause: float = 0.0) -> Count:
    """Save with eight threads, and kill a server `kills` times meanwhile; repeat each save until it returns.

    The run ends early after `minutes`, or if a cluster does not recover. After each save, a thread waits `pause`
    seconds.
    """
    end = time.monotonic() + 60 * minutes
    made, options = SETTINGS[setting]
    count, lock, over = Count(), threading.Condition(), threading.Event()
    with tempfile.TemporaryDirectory() as folder, made(Path(folder), *options) as (url, kill):

        def write(worker: int) -> None:
            for number in itertools.count():
                turn, id_ = f"{worker}-{number}", f"talk-{worker % _CONVERSATIONS}"
                records = [Record({"role": "user", "content": turn}), Record({"role": "assistant", "content": "ok"})]
                while True:
                    if over.is_set():
                        return
                    try:
                        drive(store.append(id_, records, turn_id=turn))
                    except StoreError:
                        with lock:
                            count.refused += 1
                        over.wait(_PAUSE)
                        continue
                    break
                with lock:
                    count.acknowledged.add(turn)
                    lock.notify_all()
                if pause:
                    over.wait(pause)

        with open_store(f"{url}{'&' if '?' in url else '?'}timeout=2") as store, ThreadPoolExecutor(_WRITERS) as pool:
            writing = [pool.submit(write, worker) for worker in range(_WRITERS)]
            try:
                while count.kills < kills and time.monotonic() < end:
                    with lock:
                        enough = len(count.acknowledged) + _BETWEEN
                        lock.wait_for(lambda enough=enough: len(count.acknowledged) >= enough, _TOLD)
                    kill()
                    count.kills += 1
            except TimeoutError as error:
                typer.echo(f"{setting}: ends after {count.kills} kills: {error}", err=True)
            finally:
                over.set()
            for one in writing:
                one.result()
        with open_store(url) as store:  # which waits longer
            found = Counter(
                (id_, entry.turn_id) for id_ in drive(store.conversations()) for entry in drive(store.read(id_))
            )
    there = {turn for _, turn in found}
    count.lost = len(count.acknowledged - there)
    count.doubled = sum(times != 2 for times in found.values())
    return count


def main(
    settings: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(map(repr, SETTINGS))}.")] = None,
    kills: Annotated[int, typer.Option(help="How often a server is killed in each.")] = 100,
    minutes: Annotated[float, typer.Option(help="The most minutes for each.")] = 60,
    pause: Annotated[float, typer.Option(help="Seconds between two saves of a thread.")] = 0,
) -> None:
    """Kill Redis servers while eight threads save, and count lost and doubled saves."""
    console = Console(soft_wrap=True)
    console.print("| what is killed | kills | saves acknowledged | refused first | lost | doubled |", markup=False)
    console.print("|---|--:|--:|--:|--:|--:|", markup=False)
    for setting in settings or SETTINGS:
        one = killed(setting, kills, minutes, pause)
        figures = one.kills, len(one.acknowledged), one.refused, one.lost, one.doubled
        console.print(f"| {setting} | {' | '.join(map(str, figures))} |", markup=False)


def _role(server: RedisServer) -> str:
    with contextlib.closing(server.client()) as client:
        return str(client.info("replication")["role"])


def _is_ok(server: RedisServer) -> bool:
    with contextlib.closing(server.client()) as client:
        return bool(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")


def _is_in_step(server: RedisServer) -> bool:
    """Return whether a server is connected again: a primary to its replica, or a replica to its primary."""
    with contextlib.closing(server.client()) as client:
        told = client.info("replication")
    return told["connected_slaves"] > 0 if told["role"] == "master" else told["master_link_status"] == "up"


if __name__ == "__main__":
    typer.run(main)
