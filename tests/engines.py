"""Executors of each kind that memzoo works on, with two workers each; those that are not installed are skipped."""

import warnings
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from typing import Any

import pytest

from memzoo.engines import executor_of

__all__ = ["ENGINES", "dask_url"]

# Ray lets its workers wait for all others (nice 15), for which tests have no time where the machine is busy.
_AT_ONCE: dict[str, Any] = {"_system_config": {"worker_niceness": 0}}


@contextmanager
def dask_url() -> Generator[str]:
    """Where two processes of Dask are reached."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra dask)")
    with (
        warnings.catch_warnings(action="ignore"),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
    ):
        yield cluster.scheduler_address.replace("tcp://", "dask://")


@contextmanager
def on_dask() -> Generator[Executor]:
    """Two processes of Dask."""
    with dask_url() as url, executor_of(engine=url) as executor:
        assert executor is not None
        yield executor


@contextmanager
def on_ray() -> Generator[Executor]:
    """Two processes of Ray."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
    with warnings.catch_warnings(action="ignore"):
        begun = ray.is_initialized()  # one is enough, and takes long to start
        if not begun:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", **_AT_ONCE)
        try:
            with executor_of(engine="ray://") as executor:
                assert executor is not None
                yield executor
        finally:
            if not begun:
                ray.shutdown()


def on_loky() -> Any:
    """Two processes of loky, which joblib works with."""
    loky = pytest.importorskip("loky", reason="loky is not installed")
    return loky.ProcessPoolExecutor(2)


ENGINES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "threads": lambda: executor_of(threads=2),
    "processes": lambda: executor_of(jobs=2),
    "a pool of one's own": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    "loky": on_loky,
    "Dask": on_dask,
    "Ray": on_ray,
}
