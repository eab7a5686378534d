"""Threads and processes that share an SQLite file."""

import contextlib
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memzoo.errors import StoreError
from memzoo.stores import SQLStore
from memzoo.sync import drive
from memzoo.testing.store_tools import fill
from tests.stores.writing import check_processes_lose_nothing

SPEAKER = """
import itertools, sys
from memzoo.stores import Record, SQLStore
from memzoo.sync import drive

store = SQLStore(sys.argv[1])
for turn in itertools.count():
    drive(store.append("c", [Record({"role": "user"}), Record({"role": "assistant"})], turn_id=str(turn)))
    print(turn, flush=True)
"""

CLOSER = """
import sqlite3, sys

print(sqlite3.connect(sys.argv[1], timeout=0).execute("PRAGMA journal_mode = DELETE").fetchone())
"""


def test_others_see_that_a_file_is_in_use(store: SQLStore, file: Path):
    """However many connections a process has opened and closed, others cannot end the write-ahead log under them."""
    fill(store, "c", "one")
    for content in ("two", "three"):
        thread = threading.Thread(target=fill, args=(store, "c", content))
        thread.start()
        thread.join()
    other = subprocess.run([sys.executable, "-c", CLOSER, file], capture_output=True, text=True, check=False)
    assert other.stderr.splitlines()[-1:] == ["sqlite3.OperationalError: database is locked"]


def test_a_deletion_is_seen_by_the_other_handle(url: str):
    """Of two stores on one file, each learns from a read that finds nothing new that the other has deleted."""
    with contextlib.closing(SQLStore(url)) as one, contextlib.closing(SQLStore(url)) as other:
        fill(one, "c", "a", "b")
        epochs = [drive(other.read("c", after=2)).epoch]
        for work in (one.forget("c", [1], derived=False), one.forget("c", [2])):
            drive(work)
            epochs.append(drive(other.read("c", after=2)).epoch)
        drive(other.clear("c"))
        epochs.append(drive(one.read("c", after=2)).epoch)
    assert len(set(epochs)) == 4


def test_processes_lose_nothing(url: str):
    """Processes that open a new file and write at once lose nothing, double nothing, and leave no gap."""
    check_processes_lose_nothing(url, "ab", turns=20)


@pytest.mark.parametrize("mode", ["full", "normal"])
def test_a_killed_process_loses_nothing(url: str, mode: str):
    """Whatever was acknowledged before the process was killed is there, in whole turns without a gap."""
    command = [sys.executable, "-c", SPEAKER, f"{url}?synchronous={mode}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as speaker:
        assert speaker.stdout
        acknowledged = [next(speaker.stdout) for _ in range(50)]
        speaker.kill()
        acknowledged += speaker.stdout
    with contextlib.closing(SQLStore(url)) as store:
        entries = drive(store.read("c"))
    turns = [str(turn) for turn in range(len(entries) // 2)]
    assert len(turns) >= len([line for line in acknowledged if line.endswith("\n")]) >= 50
    assert [entry.turn_id for entry in entries] == [turn for turn in turns for _ in range(2)]
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def test_a_writer_that_never_ends_is_an_error(url: str, file: Path):
    """Who cannot get at the file in time is told so, reads meanwhile, and can write afterwards."""
    with (
        contextlib.closing(SQLStore(f"{url}?timeout=0")) as store,
        contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"chat\.db: database is locked"):
            fill(store, "c", "hello")
        assert drive(store.read("c")) == []
        other.execute("ROLLBACK")
        assert len(fill(store, "c", "hello")) == 1


def test_a_new_file_that_another_holds_is_an_error(url: str, file: Path):
    """Who cannot even set up the file in time is told so; afterwards it works."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"chat\.db: database is locked"):
            SQLStore(f"{url}?timeout=0")
        other.execute("ROLLBACK")
    with contextlib.closing(SQLStore(f"{url}?timeout=0")) as store:
        assert len(fill(store, "c", "hello")) == 1


def test_many_may_open_a_new_file(tmp_path: Path):
    """Eight threads that open the same new file at once all get it, each time."""
    start = threading.Barrier(8)

    def open_and_say(worker: int, url: str) -> None:
        start.wait()
        with contextlib.closing(SQLStore(url)) as store:
            fill(store, "c", str(worker))

    with ThreadPoolExecutor(8) as threads:
        for attempt in range(10):
            url = f"sqlite:///{tmp_path}/{attempt}.db?synchronous=normal"
            list(threads.map(open_and_say, range(8), [url] * 8))
            with contextlib.closing(SQLStore(url)) as store:
                assert len(drive(store.read("c"))) == 8


def test_readers_see_one_moment(store: SQLStore, url: str):
    """A state is read together with its items, while another connection commits."""
    fill(store, "c", "hello")
    version = drive(store.read_state("c", "s")).version
    with contextlib.closing(SQLStore(url)) as other:
        for number in range(1, 100):
            changes = dict.fromkeys("abc", number)
            version = drive(other.commit("c", "s", expected=version, watermark=number, changes=changes))
            state = drive(store.read_state("c", "s"))
            assert state.changes == dict.fromkeys("abc", state.watermark)
