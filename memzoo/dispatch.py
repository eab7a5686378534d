"""Sends units of work through an executor: in batches, a few at a time, and once more if a worker dies.

Nothing here knows what the work is. `compare` and `upkeep` hand in a function and units, and keep what comes back.
"""

import functools
import importlib
import itertools
import pickle
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from memzoo._version import __version__
from memzoo.engines import in_this_process, workers_of
from memzoo.errors import EngineError, OptionError

__all__ = ["BATCH_SECONDS", "check_it_travels", "most_under_way", "run_units"]

U = TypeVar("U")
R = TypeVar("R")

BATCH_SECONDS = 0.5
"""The target time of a batch: long beside the cost of sending it, short beside the work that a dead worker loses."""

_MOST = 1000  # units in a batch
_PATIENCE = 2  # times the seconds of a batch: who takes longer sends back what is left
_TRIES = 5
_AHEAD = 2  # batches for each worker: one that it does, and one that waits, so that it never does
_ADVICE = "What is finished is kept, and the same call goes on from there."


def run_units(
    executor: Executor | None,
    do: Callable[[U], R],
    units: Iterable[U | None],
    *,
    batch_seconds: float | None = None,
) -> Generator[tuple[U, R]]:
    """Do units of work on an executor; yield each with its result, in the order in which they finish.

    Units are taken as they are needed: a few per worker are under way. If a worker dies, another does its units again,
    so `do` may run twice for a unit, but only one result is yielded.

    Args:
        executor: `None` does the work here, one unit after the other.
        do: Runs on the workers. An error that it raises is raised here and ends the run.
        units: A `None` among them means: no more until a unit under way has finished.
        batch_seconds: The target time of a batch, estimated from earlier units; a worker that takes twice as long sends
            the rest back. 0 sends each unit by itself.

    Raises:
        OptionError: `do` or a unit cannot travel to where the work is done.
        EngineError: The executor is broken, or some units made their worker die again and again.
    """
    if executor is None:
        yield from ((unit, do(unit)) for unit in units if unit is not None)
        return
    seconds = BATCH_SECONDS if batch_seconds is None else batch_seconds
    yield from _Dispatch(executor, do, iter(units), seconds).results()


def most_under_way(executor: Executor | None) -> int:
    """How many batches are under way at once, at most."""
    return 1 if executor is None else _AHEAD * workers_of(executor)


def check_it_travels(executor: Executor | None, parts: Mapping[str, Any]) -> None:
    """Check that objects can be sent to the workers.

    Args:
        executor: Does the work.
        parts: The objects, by their names in the error.

    Raises:
        OptionError: One of them cannot.
    """
    if in_this_process(executor):
        return
    for name, part in parts.items():
        try:
            _pack(part)
        except Exception as error:
            raise _make_travel_error(name, error) from error


@dataclass
class _Batch(Generic[U]):
    units: list[U]
    tries: int = 0


@dataclass(frozen=True)
class _Answer(Generic[R]):
    """A worker's answer to a batch: the results of all units or the first ones, and their seconds; or an error."""

    results: list[R] = field(default_factory=list[Any])
    seconds: float = 0.0
    error: Exception | None = None


class _Dispatch(Generic[U, R]):
    """Keeps the workers busy."""

    def __init__(self, executor: Executor, do: Callable[[U], R], units: Iterator[U | None], seconds: float) -> None:
        self._executor, self._do, self._units, self._seconds = executor, do, units, seconds
        self._here = in_this_process(executor)
        self._carried = do if self._here else self._bytes_of(do)
        self._running: dict[Future[_Answer[R]], _Batch[U]] = {}
        self._again: list[_Batch[U]] = []
        self._left = deque[U]()  # what there was no time for
        self._serial = itertools.count()
        self._size = 1
        self._done, self._taken_seconds = 0, 0.0
        self._ended = False

    def results(self) -> Generator[tuple[U, R]]:
        try:
            while self._fill() or self._running:
                finished, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield from self._take(future, self._running.pop(future))
        finally:
            for future in self._running:
                future.cancel()

    def _fill(self) -> bool:
        """Send batches until enough are under way; return whether any is."""
        most = most_under_way(self._executor)
        while len(self._running) < most and (batch := self._again.pop() if self._again else self._next()):
            self._send(batch)
        return bool(self._running)

    def _next(self) -> _Batch[U] | None:
        units: list[U] = []
        while len(units) < self._size and (self._left or not self._ended):
            try:
                unit = self._left.popleft() if self._left else next(self._units)
            except StopIteration:
                self._ended = True
                break
            if unit is not None:
                units.append(unit)
            elif units or self._running:
                break
        return _Batch(units) if units else None

    def _send(self, batch: _Batch[U]) -> None:
        carried = batch.units if self._here else self._bytes_of(batch.units)
        # The number makes each call unique: Dask would answer a repeated call from its cache.
        serial = next(self._serial)
        try:
            self._running[self._executor.submit(_run, self._carried, carried, self._seconds, serial)] = batch
        except (BrokenExecutor, RuntimeError) as error:
            raise EngineError(
                f"the executor takes no more work: {_describe(error)}. {_ADVICE} Make a new executor for it; "
                "jobs=N replaces processes that die by itself"
            ) from error

    def _take(self, future: Future[_Answer[R]], batch: _Batch[U]) -> Iterator[tuple[U, R]]:
        try:
            answer = future.result()
        except Exception as error:  # noqa: BLE001 - each engine has its own
            # What `do` raises is in the answer: a worker died, or the engine failed.
            self._send_again(batch, error)
            return
        if answer.error is not None:
            raise answer.error
        self._left += batch.units[len(answer.results) :]
        self._done, self._taken_seconds = self._done + len(answer.results), self._taken_seconds + answer.seconds
        fitting = int(self._seconds * self._done / max(self._taken_seconds, 1e-9))
        # Grow slowly: the first units may be the light ones.
        self._size = max(1, min(fitting, 2 * self._size, _MOST))
        yield from zip(batch.units, answer.results, strict=False)

    def _send_again(self, batch: _Batch[U], error: Exception) -> None:
        if batch.tries + 1 == _TRIES:
            raise EngineError(
                f"the worker failed {_TRIES} times at {batch.units[0]}: {_describe(error)}. {_ADVICE} The worker may "
                "have too little memory, no memzoo, or another version of it; a script that starts processes must do "
                "so under `if __name__ == '__main__':`"
            ) from error
        # One by one, so that a unit that kills its worker takes no others with it.
        self._again += [_Batch([unit], batch.tries + 1) for unit in batch.units]

    def _bytes_of(self, thing: Any) -> bytes:
        try:
            return _pack((__version__, thing))
        except Exception as error:
            raise _make_travel_error("what is to be done", error) from error


def _make_travel_error(name: str, error: Exception) -> OptionError:
    return OptionError(
        f"{name} cannot travel to where the work is done: {_describe(error)}. Install cloudpickle, which carries "
        "functions as they are; or put the function into a module that can be imported there, without locks and "
        "connections in it; or work with threads"
    )


def _pack(thing: Any) -> bytes:
    # cloudpickle carries what pickle only names: functions of the main program, lambdas, closures.
    packed: bytes = _packer().dumps(thing)
    return packed


def _packer() -> Any:
    try:
        return importlib.import_module("cloudpickle")
    except ImportError:
        return pickle


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


# What follows runs where the work is done.


def _run(do: Any, units: Any, seconds: float, _serial: int) -> _Answer[Any]:
    """Do a batch, or what there is time for. Errors are told, not raised: what is raised here is the engine's."""
    try:
        function, listed = (_unpack(do), _unpack(units, keep=False)) if isinstance(do, bytes) else (do, units)
    except Exception as error:  # noqa: BLE001 - there is no end to what unpacking raises
        said = f"what was sent cannot be opened where the work is done: {_describe(error)}"
        return _Answer(error=EngineError(f"{said}. Install there what is installed here, cloudpickle too"))
    begun = time.perf_counter()
    results: list[Any] = []
    try:
        for unit in listed:
            results.append(function(unit))
            if time.perf_counter() - begun > _PATIENCE * seconds:
                break
    except Exception as error:  # noqa: BLE001 - raised again where the results are awaited
        return _Answer(error=error if not isinstance(do, bytes) or _travels(error) else EngineError(_describe(error)))
    return _Answer(results, time.perf_counter() - begun)


def _unpack(packed: bytes, *, keep: bool = True) -> Any:
    version, thing = _keep(packed) if keep else pickle.loads(packed)  # noqa: S301 - from the process that sends the work
    if version != __version__:
        raise EngineError(f"memzoo is {__version__} here, and {version} where the work comes from")
    return thing


@functools.lru_cache(maxsize=4)
def _keep(packed: bytes) -> Any:
    """Unpickle, once, what all batches of a run share; its models and counters are made at their first use."""
    return pickle.loads(packed)  # noqa: S301 - from the process that sends the work


def _travels(error: Exception) -> bool:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what was just packed
    except Exception:  # noqa: BLE001 - there is no end to what packing raises
        return False
    return True
