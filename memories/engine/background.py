"""Background work: it continues after the call that requested it has returned."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

from memzoo.errors import StoreError
from memzoo.forks import new_lock
from memzoo.sync import drive, is_blocking

logger = logging.getLogger("memzoo")


class Background:
    """Runs a job in the background: as a task of the running event loop, or else in a thread.

    Each run does all pending work, so any number of requests during a run lead to only one more run. If the process
    ends, the run is lost; the next run must catch up.

    Args:
        job: A function that returns the coroutine to run; exceptions are logged.
    """

    def __init__(self, job: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self._job = job
        self._lock = new_lock()
        self._wanted = False
        self._worker: threading.Thread | asyncio.Task[None] | None = None

    def start(self) -> None:
        """Request a run of the job, and return at once."""
        with self._lock:
            self._wanted = True
            if not self._is_working():
                self._worker = self._launch()

    async def wait(self) -> None:
        """Wait until all requested runs have finished, unless this could block for ever.

        Asynchronous code does not wait for a thread, and synchronous code does not wait for a task.
        """
        worker = self._worker
        if isinstance(worker, threading.Thread):
            if is_blocking():
                worker.join()
        elif worker and not is_blocking() and worker.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([worker])

    def _is_working(self) -> bool:
        if isinstance(self._worker, threading.Thread):
            return self._worker.is_alive()
        return self._worker is not None and not self._worker.done() and not self._worker.get_loop().is_closed()

    def _launch(self) -> threading.Thread | asyncio.Task[None]:
        if not is_blocking():
            return asyncio.get_running_loop().create_task(self._run(), name="memzoo")
        # A daemon thread: a later run catches up on unfinished work, so a program need not wait for the thread to end.
        thread = threading.Thread(target=copy_context().run, args=(drive, self._run()), name="memzoo", daemon=True)
        thread.start()
        return thread

    async def _run(self) -> None:
        while self._take():
            try:
                await self._job()
            except StoreError as error:  # the store cannot be reached, or was closed meanwhile
                logger.warning("learning in the background is left for later: %s", error)
            except Exception:
                logger.exception("learning in the background failed")

    def _take(self) -> bool:
        """Clear a pending request and return True; without a request, mark the worker as done and return False."""
        with self._lock:
            wanted, self._wanted = self._wanted, False
            if not wanted:
                self._worker = None
            return wanted
