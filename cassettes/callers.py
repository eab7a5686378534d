"""Finds the cassette for a request. A thread or task uses the cassette of the thread or task that started it."""

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar
from unittest import mock
from weakref import WeakKeyDictionary

from memzoo.cassettes.errors import CassetteError
from memzoo.forks import new_lock

if TYPE_CHECKING:
    from memzoo.cassettes.player import Player

_T = TypeVar("_T")


class Caller:
    """A thread or task whose requests a cassette answers or records.

    Attributes:
        name: "" for the caller that opened the cassette. The threads and tasks that it starts are named `"1"`, `"2"`
            and so on; those that `"2"` starts are named `"2.1"`, `"2.2"` and so on.
        tasks: A mapping from each asyncio task to its caller, shared by all callers of the cassette.
    """

    def __init__(self, player: "Player", name: str = "", tasks: "WeakKeyDictionary[Any, Caller] | None" = None) -> None:
        self.player = player
        self.name = name
        self._children = 0
        self.tasks: WeakKeyDictionary[Any, Caller] = WeakKeyDictionary() if tasks is None else tasks
        self._lock = new_lock()

    def child(self) -> "Caller":
        """Return a caller for the next thread or task started by this caller."""
        with self._lock:
            self._children += 1
            return Caller(self.player, f"{self.name}.{self._children}".removeprefix("."), self.tasks)

    def in_task(self) -> "Caller":
        """Return the caller for the running task. If it has none, make one that counts as started by this one."""
        task = _task()
        if task is None:
            return self
        if task not in self.tasks:
            self.tasks[task] = self.child()
        return self.tasks[task]


_unrecorded: ContextVar[bool] = ContextVar("unrecorded", default=False)
_current: ContextVar["Caller | None"] = ContextVar("caller", default=None)
_open: list[Caller] = []
_lock = new_lock()


def is_let_through() -> bool:
    """Return whether requests of the current thread or task are ignored by all cassettes."""
    return _unrecorded.get()


def current_caller() -> Caller | None:
    """Return the caller of this thread or task.

    `None` means that no cassette is open, or that all cassettes ignore the requests of the thread or task.

    Raises:
        CassetteError: The thread or task was started outside all cassettes, and several cassettes are open.
    """
    if is_let_through():
        return None
    caller, players = _current.get(), [one.player for one in _open]
    if caller is not None and (caller.player in players or not players):
        return caller.in_task()
    if not players:
        return None
    # Threads of an older pool have no cassette; if only one cassette is open, use this cassette.
    if len(players) == 1:
        return _open[0].in_task()
    raise CassetteError(
        f"{len(players)} cassettes are open, and a request came from a thread or task that was started outside of them."
        " Start the thread or task inside its cassette."
    )


@contextmanager
def let_through() -> Generator[None]:
    """Make all cassettes ignore the requests in the block.

    This is for code that records these requests itself, or records the tool call that sends them.
    """
    with _set(_unrecorded, value=True):
        yield


@contextmanager
def attach_player(player: "Player") -> Generator[None]:
    """Use a cassette's player in the block, for this thread or task and those that it starts.

    Raises:
        CassetteError: The same file is open already, and one of the two cassettes is recording.
    """
    caller, before = Caller(player), _current.get()
    if (task := _task()) is not None:
        caller.tasks[task] = caller
    with _lock:
        if any(
            one.player.path.resolve() == player.path.resolve() and (one.player.recording or player.recording)
            for one in _open
        ):
            raise CassetteError(
                f"The cassette {str(player.path)!r} is already open, and is being recorded:"
                " use the open one, or another file"
            )
        _open.append(caller)
    _current.set(caller)
    try:
        yield
    finally:
        with _lock:
            _open.remove(caller)
        if _current.get() is caller:
            _current.set(before)


@contextmanager
def follow() -> Generator[None]:
    """In this block, each new thread, task and job of a thread pool uses the cassette of the caller that started it."""
    start, submit, create = threading.Thread.start, ThreadPoolExecutor.submit, asyncio.BaseEventLoop.create_task

    def start_inside(thread: threading.Thread) -> None:
        thread.run = _inside(thread.run)  # type: ignore[method-assign]
        start(thread)

    def submit_inside(pool: ThreadPoolExecutor, function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        return submit(pool, _inside(function), *args, **options)

    def create_inside(loop: asyncio.BaseEventLoop, coroutine: Any, **options: Any) -> Any:
        task: Any = create(loop, coroutine, **options)
        caller = _current.get()
        # A recorded tool does not run in a replay, so its threads and tasks have no numbers.
        if caller is not None and not _unrecorded.get():
            # Callers are numbered here, in the program's order, because their requests may come in any order.
            caller.tasks[task] = caller.in_task().child()
        return task

    with (
        mock.patch.object(asyncio.BaseEventLoop, "create_task", create_inside),
        mock.patch.object(threading.Thread, "start", start_inside),
        mock.patch.object(ThreadPoolExecutor, "submit", submit_inside),
    ):
        yield


def _inside(function: Callable[..., Any]) -> Callable[..., Any]:
    caller, unrecorded = _current.get(), _unrecorded.get()
    if caller is None:
        return function
    child = caller if unrecorded else caller.in_task().child()

    def run(*args: Any, **options: Any) -> Any:
        with _set(_current, child), _set(_unrecorded, unrecorded):
            return function(*args, **options)

    return run


@contextmanager
def _set(variable: ContextVar[_T], value: _T) -> Generator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def _task() -> Any:
    with suppress(RuntimeError):
        return asyncio.current_task()
    return None
