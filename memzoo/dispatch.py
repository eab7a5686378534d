"""Runs units of work (calls to one function) on an executor, in batches. If a worker dies, its units run again.

The executor may be any executor of `concurrent.futures`, or of a compatible package such as Dask.
"""

import concurrent.futures
import functools
import importlib
import itertools
import multiprocessing
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

from memzoo._version import __version__
from memzoo.errors import ExecutorError, OptionError

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
R = TypeVar("R")

Workers: TypeAlias = Executor | int | None
"""An executor, a number of processes, or `None` to do the work in this process, one unit after the other."""

BATCH_SECONDS = 0.5
"""The target time of a batch: long compared with sending the batch, but short enough to limit a dead worker's loss."""

_MOST = 1000  # units in a batch
_PATIENCE = 2  # times the target time of a batch: a slower worker returns its remaining units
_TRIES = 5
_AHEAD = 2  # batches for each worker: one running and one queued, so that no worker is idle
_CONTEXT = multiprocessing.get_context("spawn")
_ADVICE = "Finished work is kept, and the same call continues from there."


class _Processes(Executor):
    """An executor with new local processes. If a process dies, all are replaced; all end with this process."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = self._start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call like `Executor.submit`. A call under way when a process dies fails with `BrokenProcessPool`."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self._pool = self._start()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as Executor's
        """End the processes, as `Executor.shutdown` does."""
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, mp_context=_CONTEXT, initializer=_end_with_parent)


def executor_of(workers: Workers) -> AbstractContextManager[Executor | None]:
    """Return a context manager that yields an executor, or `None` if the work is to run in this process.

    Args:
        workers: The user's own executor, which stays open; or a number of processes, for which an executor is created
            and then shut down at the end of the block. 1 or `None` to run the work in this process.

    Raises:
        OptionError: `workers` is neither an executor nor a number of at least 1.
    """
    if isinstance(workers, Executor) or workers is None:
        return nullcontext(workers)
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(
            f"executor must be a concurrent.futures.Executor, or a number of processes of at least 1; not {workers!r}"
        )
    return _Processes(workers) if workers > 1 else nullcontext()


def run_units(
    executor: Executor | None,
    do: Callable[[U], R],
    units: Iterable[U | None],
    *,
    batch_seconds: float | None = None,
) -> Generator[tuple[U, R]]:
    """Run units of work on an executor, and yield each unit with its result as soon as it is finished.

    If a worker dies, its units run again on another worker. `do` may therefore run twice for a unit, but only one
    result is yielded.

    Args:
        executor: The executor; `None` runs the units in this process, one after the other.
        do: The function to run on the workers. Its errors are raised here and end the run.
        units: The units, each an argument for `do`. `None` means that no unit is ready yet; the iterator is then asked
            again once a running unit has finished.
        batch_seconds: The seconds that a batch of units should take; 0 for one unit in each batch. If a batch takes
            twice as long, the worker skips the remaining units, which are then sent again.

    Raises:
        OptionError: `do` or a unit cannot be sent to the workers.
        ExecutorError: The executor is broken, or the same units made their workers die repeatedly.
    """
    if executor is None:
        yield from ((unit, do(unit)) for unit in units if unit is not None)
        return
    seconds = BATCH_SECONDS if batch_seconds is None else batch_seconds
    yield from _Dispatch(executor, do, iter(units), seconds).results()


def most_under_way(executor: Executor | None) -> int:
    """Return the maximum number of unfinished batches on the executor: running and waiting batches together."""
    if executor is None:
        return 1
    dask: Any = sys.modules.get("distributed.cfexecutor")
    if dask is not None and isinstance(executor, dask.ClientExecutor):
        found = sum(vars(executor)["_client"].ncores().values())
    else:  # the executors of this module, mpi4py, Python and loky
        names = ("workers", "num_workers", "_max_workers")
        found = next((count for name in names if isinstance(count := getattr(executor, name, None), int)), 0)
    return _AHEAD * (found or os.cpu_count() or 1)


def in_this_process(executor: Executor | None) -> bool:
    """Return whether the executor runs work in this process, where nothing needs pickling."""
    apart = getattr(concurrent.futures, "InterpreterPoolExecutor", ())  # of Python 3.14: threads without shared objects
    return executor is None or (isinstance(executor, ThreadPoolExecutor) and not isinstance(executor, apart))


def check_it_travels(executor: Executor | None, parts: Mapping[str, Any]) -> None:
    """Raise an `OptionError` unless objects can be sent to the executor's workers, which may be other processes.

    `parts` is a dict from name to object; the error names an object that cannot be sent.
    """
    if in_this_process(executor):
        return
    for name, part in parts.items():
        _pack(name, part)


@dataclass
class _Batch(Generic[U]):
    units: list[U]
    tries: int = 0


@dataclass(frozen=True)
class _Answer(Generic[R]):
    """A worker's answer to a batch: the results of all or the first units, with the time taken; or an error."""

    results: list[R] = field(default_factory=list[Any])
    seconds: float = 0.0
    error: Exception | None = None


class _Dispatch(Generic[U, R]):
    """One run of units on an executor, with the batches under way."""

    def __init__(self, executor: Executor, do: Callable[[U], R], units: Iterator[U | None], seconds: float) -> None:
        self._executor, self._do, self._units, self._seconds = executor, do, units, seconds
        self._here = in_this_process(executor)
        self._carried = self._carry(do)
        self._running: dict[Future[_Answer[R]], _Batch[U]] = {}
        self._again: list[_Batch[U]] = []
        self._serial = itertools.count()
        self._size = 1
        self._done, self._taken_seconds = 0, 0.0

    def results(self) -> Generator[tuple[U, R]]:
        try:
            while self._fill():
                finished, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield from self._take(future, self._running.pop(future))
        finally:
            for future in self._running:
                future.cancel()

    def _fill(self) -> bool:
        """Send batches until enough are under way; return whether any batch is under way."""
        most = most_under_way(self._executor)
        while len(self._running) < most and (batch := self._again.pop() if self._again else self._next()):
            self._send(batch)
        return bool(self._running)

    def _next(self) -> _Batch[U] | None:
        units: list[U] = []
        for unit in self._units:
            if unit is not None:
                units.append(unit)
            elif units or self._running:
                break
            if len(units) == self._size:
                break
        return _Batch(units) if units else None

    def _send(self, batch: _Batch[U]) -> None:
        # The number makes each call unique, because Dask would answer a repeated call from its cache.
        serial = next(self._serial)
        carried = self._carry(batch.units)
        try:
            self._running[self._executor.submit(_run, self._carried, carried, self._seconds, serial)] = batch
        except (BrokenExecutor, RuntimeError) as error:
            raise ExecutorError(
                f"the executor accepts no more work: {_describe(error)}. {_ADVICE} Make a new executor and call again. "
                "With executor=N (a number of processes), memzoo replaces dead processes itself"
            ) from error

    def _take(self, future: Future[_Answer[R]], batch: _Batch[U]) -> Iterator[tuple[U, R]]:
        try:
            answer = future.result()
        except Exception as error:  # noqa: BLE001 - each executor has its own
            # Errors of `do` are in the answer, so this error means that a worker died or the executor failed.
            self._send_again(batch, error)
            return
        if answer.error is not None:
            raise answer.error
        self._done, self._taken_seconds = self._done + len(answer.results), self._taken_seconds + answer.seconds
        fitting = int(self._seconds * self._done / max(self._taken_seconds, 1e-9))
        # Grow slowly, because the first units may be quicker than later units.
        self._size = max(1, min(fitting, 2 * self._size, _MOST))
        left = batch.units[len(answer.results) :]  # the worker had no time for these
        self._again += [_Batch(left[at : at + self._size], batch.tries) for at in range(0, len(left), self._size)]
        yield from zip(batch.units, answer.results, strict=False)

    def _send_again(self, batch: _Batch[U], error: Exception) -> None:
        if batch.tries + 1 == _TRIES:
            raise ExecutorError(
                f"the worker failed {_TRIES} times at {batch.units[0]}: {_describe(error)}. {_ADVICE} The worker may "
                "have too little memory, no memzoo, or another version of it; a script that starts processes must do "
                "so under `if __name__ == '__main__':`"
            ) from error
        # Send each unit by itself, because one of the units may kill its worker again.
        self._again += [_Batch([unit], batch.tries + 1) for unit in batch.units]

    def _carry(self, thing: Any) -> Any:
        """Return an object in the form in which it is sent to the workers."""
        return thing if self._here else _pack("the work", (__version__, thing))


def _pack(name: str, thing: Any) -> bytes:
    """Pickle an object; the error, an `OptionError`, has the object's name."""
    # cloudpickle includes the code of functions of the main program, lambdas and closures; pickle only their names.
    pickling: Any = pickle
    with suppress(ImportError):
        pickling = importlib.import_module("cloudpickle")
    try:
        packed: bytes = pickling.dumps(thing)
    except Exception as error:
        raise OptionError(
            f"{name} cannot be sent to the workers: {_describe(error)}. Install cloudpickle, which pickles functions "
            "with their code; or put the function, without locks and connections, into a module that the workers can "
            "import; or use threads"
        ) from error
    return packed


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


# The functions below run on the workers.


def _run(do: Any, units: Any, seconds: float, _serial: int) -> _Answer[Any]:
    """Run as many units of a batch as time permits.

    Errors of the units are returned, not raised, to distinguish them from the executor's errors.
    """
    try:
        function, listed = (_unpack_once(do), _unpack(units)) if isinstance(do, bytes) else (do, units)
    except Exception as error:  # noqa: BLE001 - there is no end to what unpacking raises
        said = f"the worker cannot unpickle its work: {_describe(error)}"
        return _Answer(error=ExecutorError(f"{said}. Install the same packages there as here, including cloudpickle"))
    begun = time.perf_counter()
    results: list[Any] = []
    try:
        for unit in listed:
            results.append(function(unit))
            if time.perf_counter() - begun > _PATIENCE * seconds:
                break
    except Exception as error:  # noqa: BLE001 - raised again where the results are awaited
        return _Answer(error=error if not isinstance(do, bytes) or _travels(error) else ExecutorError(_describe(error)))
    return _Answer(results, time.perf_counter() - begun)


def _unpack(packed: bytes) -> Any:
    version, thing = pickle.loads(packed)  # noqa: S301 - from the process that sends the work
    if version != __version__:
        raise ExecutorError(f"the worker has memzoo {__version__}, but the work comes from memzoo {version}")
    return thing


# Keeps the function that all batches of a run share, because its models and counters are reused.
_unpack_once = functools.lru_cache(maxsize=4)(_unpack)


def _travels(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what was just packed
    except Exception:  # noqa: BLE001 - there is no end to what packing raises
        return False
    return True


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if the parent was killed and could not end its pool."""

    def wait_for_parent() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait_for_parent, daemon=True).start()
