"""Several processes from one: parent and child go on with the same store."""

import contextlib
import ctypes
import multiprocessing
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from memzoo.forks import new_lock, new_rlock
from memzoo.memories import create_memory
from memzoo.memories.engine.locks import FairLock
from memzoo.stores import Store, open_store
from memzoo.stores.sql.connection_pool import ConnectionPool
from memzoo.stores.sql.waiting import Deadline
from memzoo.sync import drive
from memzoo.testing.store_tools import fill
from tests.forking import ended, forked, in_child, without_garbage

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows"),
    pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning"),  # what these tests are about
]

HOLDER = """
import sqlite3, sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("holds it", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


@contextlib.contextmanager
def threads(*works: Callable[[], object]) -> Generator[None]:
    """Do each of these again and again, in a thread of its own, for as long as the block runs."""
    ended = threading.Event()
    begun = [threading.Event() for _ in works]

    def go_on(work: Callable[[], object], first: threading.Event) -> None:
        while not ended.is_set():
            work()
            first.set()

    running = [threading.Thread(target=go_on, args=pair) for pair in zip(works, begun, strict=True)]
    for thread in running:
        thread.start()
    for first in begun:
        first.wait()
    try:
        yield
    finally:
        ended.set()
        for thread in running:
            thread.join()


def _append(store: Store, content: str) -> None:
    fill(store, "c", content)


def _contents(store: Store) -> list[str]:
    return [entry.message["content"] for entry in drive(store.read("c"))]


def test_parent_and_child_of_a_fork_go_on(store: Store) -> None:
    """Both save and read after a fork, in turn, and what either stored is there for the other."""

    def child() -> None:
        _append(store, "child")
        assert _contents(store) == ["before", "child"]

    _append(store, "before")
    in_child(child)
    _append(store, "parent")
    assert _contents(store) == ["before", "child", "parent"]


def test_connections_to_a_file_are_closed_before_a_fork(tmp_path: Path) -> None:
    """The child inherits none, as SQLite wants it, and the parent opens another."""
    connections = ConnectionPool(lambda: sqlite3.connect(tmp_path / "a.db", check_same_thread=False))
    held = connections.of_thread()
    in_child(lambda: None)
    assert held.is_closed
    assert connections.of_thread() is not held
    connections.close()


def test_a_child_outlives_its_parents_store(tmp_path: Path) -> None:
    """What a child saves after its parent has closed the store is in the file."""
    url = f"sqlite:///{tmp_path}/chat.db"
    store = open_store(url)
    _append(store, "before")
    closed, close = os.pipe()
    child = forked(lambda: (os.read(closed, 1), _say(store, "a")))
    store.close()
    os.write(close, b"x")
    ended(child)
    for end in (closed, close):
        os.close(end)
    with open_store(url) as again:
        assert _contents(again) == ["before", *_said("a")]


@pytest.mark.parametrize("url", ["sqlite:///{}/chat.db?synchronous=normal", "sqlite://", "memory://"])
def test_a_fork_while_threads_save(tmp_path: Path, url: str) -> None:
    """However often a process forks while its threads save, each child can save, and loses and doubles nothing."""
    is_file = url.startswith("sqlite:///")  # elsewhere each process goes on in a memory of its own
    with open_store(url.format(tmp_path)) as store:
        memories = [create_memory("window", store=store, conversation_id=str(number)) for number in range(4)]
        saves = [lambda memory=memory: memory.save_context({"input": "hi"}, {"output": "hello"}) for memory in memories]

        def child() -> None:
            for memory in memories:
                memory.save_context({"input": "child"}, {"output": "ok"})
                if not is_file:
                    assert [
                        entry.message["content"]
                        for entry in drive(store.read(memory.conversation_id, limit=2, newest=True))
                    ] == ["child", "ok"]

        for _ in range(2):
            with threads(*saves):
                forking = forked(child)
            ended(forking)
        entries = [drive(store.read(str(number))) for number in range(4)]
        assert [[entry.seq for entry in log] for log in entries] == [list(range(1, len(log) + 1)) for log in entries]
        said = [entry.message["content"] for log in entries for entry in log]
        assert said.count("child") == (8 if is_file else 0)


def test_a_fork_while_a_thread_waits_for_the_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child saves although a thread of its parent waited for another process when it was forked."""
    waits, pause = threading.Event(), Deadline.pause

    def seen(self: Deadline) -> bool:
        waits.set()
        return pause(self)

    monkeypatch.setattr(Deadline, "pause", seen)
    command, pipe = [sys.executable, "-c", HOLDER, str(tmp_path / "chat.db")], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout
        assert holder.stdin
        holder.stdout.readline()
        thread = threading.Thread(target=_append, args=(store, "thread"))
        thread.start()
        waits.wait()
        child = forked(lambda: _append(store, "child"))
        holder.stdin.write("let go\n")
        holder.stdin.flush()
        ended(child)
        thread.join()
    assert sorted(_contents(store)) == ["child", "thread"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_store_goes_to_another_process(store: Store, method: str) -> None:
    """A store that is an argument of a new process works there, however that was started."""
    _append(store, "before")
    started: Any = multiprocessing.get_context(method)
    process = started.Process(target=_append, args=(store, "child"))
    process.start()
    process.join()
    assert process.exitcode == 0
    _append(store, "parent")
    assert _contents(store) == ["before", "child", "parent"]


def test_a_memory_in_a_forked_process_saves(store: Store) -> None:
    """A memory that has loaded before a fork saves in the child, and sees that in the parent."""
    memory = create_memory("buffer", store=store, conversation_id="c")
    memory.save_context({"input": "hi"}, {"output": "hello"})
    memory.load_memory_variables({})
    in_child(lambda: memory.save_context({"input": "child"}, {"output": "ok"}))
    assert memory.load_memory_variables({}) == {"history": "Human: hi\nAI: hello\nHuman: child\nAI: ok"}


def test_workers_forked_from_a_server(store: Store) -> None:
    """As under gunicorn: the application opens its store, each worker is forked from it, and all of them save."""
    _append(store, "before")
    workers = multiprocessing.get_context("fork")
    running = [workers.Process(target=_say, args=(store, name)) for name in "abcd"]
    for worker in running:
        worker.start()
    for worker in running:
        worker.join()
    assert [worker.exitcode for worker in running] == [0] * 4
    assert sorted(_contents(store)) == sorted(["before", *_said(*"abcd")])


def _say(store: Store, name: str) -> None:
    for content in _said(name):
        _append(store, content)


def _said(*names: str) -> list[str]:
    return [f"{name}{number:02}" for name in names for number in range(20)]


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="since Python 3.13 a server has to tell before it forks, too")
def test_a_server_that_forks_in_c(store: Store) -> None:
    """As under uWSGI, which tells Python of a fork only afterwards: the child saves beside its parent."""
    _append(store, "before")
    without_garbage()
    # C tells Python at once. Here a thread that asks for the interpreter in between would be waited for in the child.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    time.sleep(4 * interval)  # those that asked before have their turn
    child = ctypes.PyDLL(None).fork()
    if not child:
        code = 1
        with contextlib.suppress(BaseException):
            ctypes.pythonapi.PyOS_AfterFork_Child()
            _append(store, "child")
            code = 0
        os._exit(code)
    sys.setswitchinterval(interval)
    ended(child)
    _append(store, "parent")
    assert _contents(store) == ["before", "child", "parent"]


@pytest.mark.parametrize("new", [new_lock, new_rlock, FairLock])
def test_a_lock_that_a_thread_holds_is_free_in_the_child(new: Callable[[], object]) -> None:
    """No lock stays taken for ever by a thread that the child does not have; in the parent it stays taken."""
    lock = new()
    taken, given_back = threading.Event(), threading.Event()

    def hold() -> None:
        with held(lock):
            taken.set()
            given_back.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    in_child(lambda: held(lock).__enter__())
    still_taken = lock.is_taken if isinstance(lock, FairLock) else not lock.acquire(blocking=False)  # type: ignore[attr-defined]
    given_back.set()
    thread.join()
    assert still_taken
    with held(lock):
        pass


@contextlib.contextmanager
def held(lock: object) -> Generator[None]:
    """Hold a lock of any kind."""
    if isinstance(lock, FairLock):
        owner = drive(lock.take())
        assert owner
        yield
        lock.give_back(owner)
        return
    with lock:  # type: ignore[attr-defined]
        yield


def test_all_locks_know_of_forks() -> None:
    """No lock of the package is one that a forked process would find taken for ever; nor functools' hidden one."""
    root, folders = Path(__file__).parents[2], ("memzoo", "memories", "prompts", "stores", "cassettes", "hosts")
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    locks = re.compile(r"threading\.R?Lock\(\)|@functools\.cached_property|from functools import .*cached_property")
    found = [file.name for file in files if locks.search(file.read_text(encoding="utf-8"))]
    assert found == ["forks.py"]
