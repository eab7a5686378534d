"""Where work is done: an executor from a name, and units of work sent through it.

Everything here takes any `concurrent.futures.Executor`. An installed package adds a kind of its own: an entry point of
the group `memzoo.engines`, named like the scheme of a URL, that leads to a function which takes the URL and returns an
executor. Its `shutdown` ends what the function began; an attribute `workers` tells how many units it does at once.
"""

import concurrent.futures
import importlib
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from memzoo.errors import EngineError, MissingExtraError, OptionError
from memzoo.plugins import load_plugin, plugins_by_name

__all__ = ["Processes", "executor_of", "in_this_process", "open_engine", "workers_of"]

P = ParamSpec("P")
T = TypeVar("T")

ENGINES = "memzoo.engines"


@contextmanager
def executor_of(*, jobs: int = 1, threads: int = 1, engine: Executor | str | None = None) -> Generator[Executor | None]:
    """Give what to work with, from what a user named; what is made here is ended here.

    Args:
        jobs: Processes of this machine.
        threads: Threads of this process, for work that waits for a network.
        engine: A URL such as `dask://127.0.0.1:8786`, or an executor, which is left open.

    Returns:
        `None` if nothing was named: the work is done here, one unit after the other.

    Raises:
        OptionError: A number is too small, several are named, or the URL is of no known engine.
        EngineError: The engine cannot be reached.

    Example:
        >>> with executor_of(threads=4) as executor:
        ...     workers_of(executor)
        4
    """
    for name, number in (("jobs", jobs), ("threads", threads)):
        if number < 1:
            raise OptionError(f"{name} must be at least 1, not {number}")
    if (jobs > 1) + (threads > 1) + (engine is not None) > 1:
        raise OptionError("the work is done by several jobs, or by several threads, or by an engine: name one of them")
    if engine is not None and not isinstance(engine, str):
        if not isinstance(engine, Executor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise OptionError(f"an engine is a URL or a concurrent.futures.Executor, not {engine!r}")
        yield engine
        return
    made = open_engine(engine) if engine else Processes(jobs) if jobs > 1 else None
    made = made or (ThreadPoolExecutor(threads) if threads > 1 else None)
    try:
        yield made
    except BaseException:
        # What waits would only be thrown away; what is at work ends first.
        if made is not None:
            _cancel(made)
        raise
    if made is not None:
        made.shutdown()


def open_engine(url: str) -> Executor:
    """Connect to an engine: `dask://HOST:PORT`, `ray://HOST:PORT`, or one that an installed package adds.

    Without a host, Dask or Ray is started on this machine; a Ray that this process has begun is used.

    Raises:
        OptionError: The URL is none, or of no known engine.
        EngineError: It cannot be reached.
        MissingExtraError: What speaks to it is not installed.
        PluginError: The package that adds it cannot be loaded.
    """
    scheme, separator, _ = url.partition("://")
    known = plugins_by_name(ENGINES)
    if not separator or scheme not in known:
        listed = ", ".join(f"{name}://" for name in sorted(known))
        raise OptionError(f"{url!r} is no engine: expected a URL such as dask://HOST:PORT; known are {listed}")
    return _open(load_plugin(known[scheme]), url)


def _open(opener: Callable[[str], Executor], url: str) -> Executor:
    try:
        return opener(url)
    except (MissingExtraError, OptionError):
        raise
    except Exception as error:
        raise EngineError(f"{url} cannot be reached: {str(error) or type(error).__name__}") from error


def workers_of(executor: Executor | None) -> int:
    """How many units an executor does at once, as far as it tells; else as many as this machine has cores."""
    if executor is None:
        return 1
    if _is_dask(executor):
        return sum(vars(executor)["_client"].ncores().values()) or _cores()
    names = ("workers", "num_workers", "_max_workers")  # ours, mpi4py's; those of Python and loky keep it to themselves
    return next((found for name in names if isinstance(found := getattr(executor, name, None), int)), _cores())


def in_this_process(executor: Executor | None) -> bool:
    """Whether what is submitted stays as it is, because it is done in this process."""
    apart = getattr(concurrent.futures, "InterpreterPoolExecutor", ())  # of Python 3.14: threads that share nothing
    return executor is None or (isinstance(executor, ThreadPoolExecutor) and not isinstance(executor, apart))


class Processes(Executor):
    """Processes of this machine, started afresh. If one dies, all are replaced; they end with this process.

    Args:
        workers: How many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = self._start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `Executor.submit`. What was under way when a process died has failed with `BrokenProcessPool`."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self._pool = self._start()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as Executor's
        """See `Executor.shutdown`."""
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _start(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.workers, mp_context=spawn, initializer=_end_with_parent)


def dask(url: str) -> Executor:
    """An executor on Dask: on the scheduler at `dask://HOST:PORT`, or, without a host, on this machine."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise MissingExtraError.of("Working on Dask", "dask") from error
    address = url.removeprefix("dask://")
    client = distributed.Client(*([f"tcp://{address}"] if address else []), set_as_default=False)
    return _Connected(client.get_executor(), client.close, lambda: sum(client.ncores().values()))


def ray(url: str) -> Executor:
    """An executor on Ray: on the cluster at `ray://HOST:PORT`, or, without a host, on this machine."""
    try:
        module: Any = importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtraError.of("Working on Ray", "ray") from error
    begun = module.is_initialized()
    if not begun:
        module.init(address=None if url == "ray://" else url, log_to_driver=False)
    end = (lambda: None) if begun else module.shutdown
    return _Connected(_Ray(module), end, lambda: int(module.cluster_resources().get("CPU", 0)))


class _Ray(Executor):
    """Hands each call to Ray as a task of its own."""

    def __init__(self, ray: Any) -> None:
        self._run = ray.remote(_call)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = self._run.remote(fn, args, kwargs).future()
        return future


class _Connected(Executor):
    """An executor, and the connection that ends with it.

    The number of workers is asked for each time: such a cluster grows and shrinks.
    """

    def __init__(self, executor: Executor, end: Callable[[], None], count: Callable[[], int]) -> None:
        self._executor, self._end, self._count = executor, end, count

    @property
    def workers(self) -> int:
        """How many units it does at once now; before its first worker has come, as many as this machine has cores."""
        return self._count() or _cores()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._executor.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as Executor's
        self._executor.shutdown(wait=wait)
        self._end()


def _cancel(executor: Executor) -> None:
    # Not every executor, Dask's among them, knows the option.
    if isinstance(executor, ThreadPoolExecutor | Processes):
        executor.shutdown(cancel_futures=True)
    else:
        executor.shutdown(wait=False)


def _call(function: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return function(*args, **kwargs)


def _is_dask(executor: Executor) -> bool:
    distributed: Any = sys.modules.get("distributed.cfexecutor")
    return distributed is not None and isinstance(executor, distributed.ClientExecutor)


def _cores() -> int:
    return os.cpu_count() or 1


def _end_with_parent() -> None:
    """End this process when its parent has ended, however: killed, it cannot tell its pool."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
