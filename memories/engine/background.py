"""Work that goes on after the call that asked for it has returned."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

from memzoo.errors import StoreError
from memzoo.forks import new_lock
from memzoo.sync import drive, is_blocking

__all__ = ["Background"]

logger = logging.getLogger("memzoo")


class Background:
    """Runs a job after the call that asked for it: as a task of the running event loop, or else in a thread.

    The job does all that there is to do when it runs, so however often it is asked for, one run at a time is enough,
    and one more if it was asked for meanwhile. A process or a loop that ends takes the run with it; the job is to be
    such that the next one makes up for it.

    Args:
        job: Makes the coroutine to run. Its errors are logged.
    """

    def __init__(self, job: Callable[[], Coroutine[Any, Any, object]]) -> None:
        self._job = job
        self._lock = new_lock()
        self._wanted = False
        self._worker: threading.Thread | asyncio.Task[None] | None = None

    def start(self) -> None:
        """Ask for the job, and return at once."""
        with self._lock:
            self._wanted = True
            if not self._is_working():
                self._worker = self._launch()

    async def wait(self) -> None:
        """Wait until nothing is left to do, where waiting is possible.

        An event loop cannot wait for a thread without standing still, nor a thread for a loop that may be its own.
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
        # A daemon: what it does not finish is made up for later, so no program has to wait for it at its end.
        thread = threading.Thread(target=copy_context().run, args=(drive, self._run()), name="memzoo", daemon=True)
        thread.start()
        return thread

    async def _run(self) -> None:
        while self._take():
            try:
                await self._job()
            except StoreError as error:  # it is away, or was closed meanwhile
                logger.warning("learning in the background is left for later: %s", error)
            except Exception:
                logger.exception("learning in the background failed")

    def _take(self) -> bool:
        """Take the request for a run: return True and clear it if there is one, else mark the worker as done."""
        with self._lock:
            wanted, self._wanted = self._wanted, False
            if not wanted:
                self._worker = None
            return wanted
