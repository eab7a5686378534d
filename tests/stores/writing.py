"""Processes that write to one conversation at once."""

import contextlib
from collections.abc import Iterable
from multiprocessing.synchronize import Barrier

from memzoo.errors import ConflictError
from memzoo.stores import SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import records
from tools.faults.lives import PROCESSES, end, start

__all__ = ["check_processes_lose_nothing"]


def check_processes_lose_nothing(url: str, names: Iterable[str], turns: int) -> None:
    """Start a process for each name; all open a new store at once, and nothing is lost, doubled or left out."""
    names = list(names)
    ready = PROCESSES.Barrier(len(names))
    writers = [start(_write, url, name, turns, ready) for name in names]
    assert [end(writer) for writer in writers] == [0] * len(names)
    with contextlib.closing(SQLStore(url)) as store:
        entries = drive(store.read("c"))
        state = drive(store.read_state("c", "s"))
    expected = [f"{name}-{turn}" for name in ("shared", *names) for turn in range(turns)]
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert sorted(entry.turn_id for entry in entries) == sorted([*expected, *expected])
    assert [one.turn_id for one in entries[::2]] == [one.turn_id for one in entries[1::2]]
    assert state.changes == {"count": len(names) * turns}


def _write(url: str, name: str, turns: int, ready: Barrier) -> None:
    ready.wait()
    with contextlib.closing(SQLStore(url)) as store:
        for turn in range(turns):
            saved = drive(store.append("c", records(name, name), turn_id=f"shared-{turn}"))
            assert len(saved) == 2
            assert saved[0].message == saved[1].message
            drive(store.append("c", records(name, name), turn_id=f"{name}-{turn}"))
            while not _is_counted(store):
                pass


def _is_counted(store: SQLStore) -> bool:
    state = drive(store.read_state("c", "s"))
    changes = {"count": state.changes.get("count", 0) + 1}
    try:
        drive(store.commit("c", "s", expected=state.version, watermark=1, changes=changes))
    except ConflictError:
        return False
    return True
