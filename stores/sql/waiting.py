"""Waits for locks up to a time limit, without blocking an event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TypeVar

from memzoo.forks import watch
from memzoo.sync import is_blocking

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05


class Deadline:
    """The time limit of a call.

    Args:
        seconds: Seconds from now, for all waits together.
    """

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds
        self._given_up = threading.Event()
        self._pause = _FIRST_PAUSE

    @property
    def rest(self) -> float:
        """The seconds left until the time limit."""
        return max(0.0, self._end - monotonic())

    @property
    def is_given_up(self) -> bool:
        """True once the call is cancelled. The call must then do nothing more."""
        return self._given_up.is_set()

    def give_up(self) -> None:
        """Mark the call as cancelled, to make it end as soon as possible."""
        self._given_up.set()

    def takes(self, lock: "threading.RLock") -> bool:
        """Take a lock if it becomes free in time; return true if the lock was taken."""
        while not lock.acquire(timeout=min(self.rest, _LONGEST_PAUSE)):
            if not self.rest or self.is_given_up:
                return False
        return True

    def pause(self) -> bool:
        """Wait for a short time, which grows with each call. Return false once the caller must stop trying."""
        pause, self._pause = min(self._pause, self.rest), min(2 * self._pause, _LONGEST_PAUSE)
        return pause > 0 and not self._given_up.wait(pause)


AT_ONCE = Deadline(0)
"""The deadline of a call that does not wait at all."""


class WaitingExecutor:
    """Runs functions that wait for locks, without blocking an event loop.

    A synchronous call runs its function in the caller's thread. All event loops share one extra thread, which runs
    their functions one after the other.
    """

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        watch(self)

    def before_fork(self) -> None:
        """Do nothing: only the child process acts, after the fork."""

    def after_fork(self) -> None:
        """In a child process, forget the parent's thread."""
        self._threads = None

    async def run(self, work: Callable[[], T], deadline: Deadline) -> T:
        """Run a function, and return its result. If the caller is cancelled, `deadline` tells the function to stop."""
        if is_blocking():
            return work()
        self._threads = self._threads or ThreadPoolExecutor(1, "memzoo-sqlite")
        running = self._threads.submit(work)
        outcome = asyncio.wrap_future(running)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            deadline.give_up()
            if not running.cancel():  # running work then ends at once and does nothing more
                await asyncio.gather(outcome, return_exceptions=True)
            raise
