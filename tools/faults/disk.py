"""The fault "disk": the disk is full or read-only for a time, and then works again."""

import contextlib
import functools
import os
import random
import resource
import subprocess
import tempfile
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection
from pathlib import Path

from memzoo.errors import StoreError
from memzoo.memories import BaseMemory
from memzoo.sync import drive
from tools.faults.lives import PROCESSES, end, start
from tools.faults.places import Places
from tools.faults.scenarios import SEVEN, Scenario, aoutcome, opened, said
from tools.faults.tally import Cell, Tally

__all__ = ["FAULTS", "available", "cells", "out_of_order"]

_EXCHANGES = 6
_NOBODY = 65_534

Fault = Callable[[Path, random.Random], contextlib.AbstractContextManager[Path]]


@contextlib.contextmanager
def _size_limit(folder: Path, chance: random.Random) -> Generator[Path]:
    """Let no file that this process writes grow by more than some kilobytes."""
    largest = max(file.stat().st_size for file in folder.iterdir())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + chance.randrange(40_000), hard))
    yield folder
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextlib.contextmanager
def _full_disk(folder: Path, chance: random.Random) -> Generator[Path]:
    """Fill the file system until only some kilobytes are left."""
    filler = folder / "filler"
    free = os.statvfs(folder)
    filler.write_bytes(bytes(max(free.f_bavail * free.f_frsize - chance.randrange(40_000), 0)))
    yield folder
    filler.unlink()


@contextlib.contextmanager
def _read_only(folder: Path, chance: random.Random) -> Generator[Path]:
    """Yield a path to the folder through a read-only mount."""
    with tempfile.TemporaryDirectory() as place:
        _mount("--bind", folder, place)
        try:
            _mount("-o", "remount,ro,bind", place)
            yield Path(place)
        finally:
            _unmount(place)


def _unmount(place: str | Path) -> None:
    # Even if a connection to a file there is not closed yet.
    subprocess.run(["umount", "--lazy", place], check=True)  # noqa: S607


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)  # noqa: S607


FAULTS: dict[str, Fault] = {"file size limit": _size_limit, "full disk": _full_disk, "read-only disk": _read_only}
"""The faults of a disk, by name."""


def available() -> list[str]:
    """Return the faults that are possible on this machine: some need the right to mount file systems."""
    try:
        with tempfile.TemporaryDirectory() as name, _disk(Path(name), small=True):
            return list(FAULTS)
    except (OSError, subprocess.CalledProcessError):
        return ["file size limit"]


def cells(places: Places, kills: int) -> Generator[Cell]:
    """Yield a cell for each strategy on SQLite."""
    for strategy in SEVEN:
        yield Tally("disk", strategy, "sqlite"), functools.partial(_all, times=max(kills // 10, 1))


def _all(tally: Tally, times: int) -> None:
    for fault in available():
        for seed in range(times):
            out_of_order(tally, fault, seed)
        # A single save may find room enough.
        tally.check_equal(tally.places[fault] > 0, True, f"an error with a {fault}")  # noqa: FBT003


def out_of_order(tally: Tally, fault: str, seed: int) -> None:
    """Let a process save while its disk is out of order, and again after the disk works."""
    here, there = PROCESSES.Pipe()
    with tempfile.TemporaryDirectory() as name, _disk(Path(name), small=fault != "file size limit") as folder, here:
        process = start(_talk, Scenario(tally.strategy, f"sqlite:///{folder}/talk.db"), fault, seed, there)
        there.close()
        refused, found, expected = here.recv()
        if code := end(process):
            raise RuntimeError(f"a process with a {fault} ended with {code}")
    tally.tried += refused
    tally.places[fault] += refused
    tally.check_log(found["log"], [f"turn-{number}" for number in range(_EXCHANGES)])
    tally.check_equal(found, expected, f"the outcome after a {fault}")


@contextlib.contextmanager
def _disk(folder: Path, *, small: bool) -> Generator[Path]:
    """Yield the folder; if `small`, mount a file system of 8 MB at the folder first."""
    if not small:
        yield folder
        return
    _mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", folder)
    try:
        yield folder
    finally:
        _unmount(folder)


def _talk(scenario: Scenario, fault: str, seed: int, pipe: Connection) -> None:
    folder = Path(scenario.store.removeprefix("sqlite:///")).parent
    chance = random.Random(seed)  # noqa: S311 - chance that repeats
    refused, broken_after = 0, chance.randrange(_EXCHANGES - 1)
    with opened(scenario) as memory:
        for number in range(_EXCHANGES):
            if number > broken_after:
                with FAULTS[fault](folder, chance) as place:
                    refused += _refused(memory if place == folder else place, scenario.strategy, number)
            _save(memory, number)
        found = drive(aoutcome(memory))
    with opened(Scenario(scenario.strategy, "sqlite://")) as memory:
        for number in range(_EXCHANGES):
            _save(memory, number)
        pipe.send((refused, found, drive(aoutcome(memory))))


def _save(memory: BaseMemory, number: int) -> None:
    inputs, outputs = said(number)
    # Long, so that a disk is full soon; the model by rule does not look at what the assistant says.
    memory.save_context(inputs, {"output": outputs["output"] * 500}, turn_id=f"turn-{number}")


def _refused(memory: BaseMemory | Path, strategy: str, number: int) -> bool:
    """Return whether a save raises an error; a path is a folder in which a memory is opened for it."""
    try:
        with contextlib.ExitStack() as stack:
            if isinstance(memory, Path):
                memory = stack.enter_context(opened(Scenario(strategy, f"sqlite:///{memory}/talk.db")))
            _save(memory, number)
    except StoreError:
        return True
    return False
