"""Work on any executor: what is sent, what comes back, what happens when a worker dies."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from memzoo import dispatch
from memzoo.dispatch import check_it_travels, executor_of, most_under_way, run_units
from memzoo.errors import ExecutorError, OptionError
from tests.executors import EXECUTORS

HERE = threading.Lock()  # cannot be sent to another process


def doubled(number: int) -> int:
    """Some work."""
    return 2 * number


def failing(number: int) -> int:
    """Work that fails at 3."""
    if number == 3:
        raise ValueError("three")
    return number


class TwoPartError(Exception):
    """An error that pickle packs and cannot open."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


def failing_oddly(number: int) -> int:
    """Work whose error cannot travel."""
    raise TwoPartError("odd ", str(number))


def deadly_once(unit: tuple[int, str]) -> int:
    """Work that kills its process the first time: a file tells that it was so."""
    number, file = unit
    if number == 3 and not Path(file).exists():
        Path(file).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def deadly(number: int) -> int:
    """Work that no process survives."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def worker(_number: int) -> int:
    """Who does it."""
    return os.getpid()


@pytest.fixture(scope="module", params=EXECUTORS)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Each kind of executor, with two workers."""
    with EXECUTORS[request.param]() as made:
        yield made


def test_every_unit_is_done_once(executor: Executor):
    """Results come with their units, whatever the order, in one batch or in many."""
    for seconds in (0, 0.01, 10):
        found = dict(run_units(executor, doubled, range(200), batch_seconds=seconds))
        assert found == {number: 2 * number for number in range(200)}


def test_it_tells_how_many_workers_it_has(executor: Executor):
    """So that as many batches are under way as are needed, and no more."""
    assert most_under_way(executor) == 4


def test_units_are_taken_as_they_are_needed(executor: Executor):
    """What is to be done need not be in memory at once."""
    taken: list[int] = []

    def units() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    doing = run_units(executor, doubled, units(), batch_seconds=0)
    next(doing)
    assert len(taken) == 4
    doing.close()


def test_nothing_more_is_sent_until_something_is_finished(executor: Executor):
    """A `None` among the units holds them back."""
    under_way = most = 0

    def one_by_one() -> Iterator[int | None]:
        nonlocal under_way, most
        for number in range(20):
            while under_way:
                yield None
            under_way += 1
            most = max(most, under_way)
            yield number

    for _ in run_units(executor, doubled, one_by_one()):
        under_way -= 1
    assert most == 1


def test_an_error_of_the_work_is_raised_here(executor: Executor):
    """As it is, if it can travel; else by its words. The executor goes on working."""
    with pytest.raises(ValueError, match="three"):
        list(run_units(executor, failing, range(10), batch_seconds=0))
    with pytest.raises((TwoPartError, ExecutorError), match="odd 7"):
        list(run_units(executor, failing_oddly, [7]))
    assert list(run_units(executor, doubled, [4])) == [(4, 8)]


def test_functions_that_enclose_something_travel(executor: Executor):
    """With cloudpickle, a lambda reaches every worker."""
    pytest.importorskip("cloudpickle")
    three = 3
    assert dict(run_units(executor, lambda number: number * three, [1, 2])) == {1: 3, 2: 6}


def test_what_cannot_travel_is_named(executor: Executor):
    """Before anything runs, with what to do; threads take it as it is."""
    if isinstance(executor, ThreadPoolExecutor):
        check_it_travels(executor, {"the model": HERE})
        return
    with pytest.raises(
        OptionError, match=r"the model cannot be sent to the workers.*cannot pickle '_thread.lock'.*use threads"
    ):
        check_it_travels(executor, {"the judge": doubled, "the model": HERE})
    with pytest.raises(OptionError, match="cannot be sent"):
        list(run_units(executor, doubled, [HERE]))  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def test_a_worker_that_dies_has_its_units_done_by_another(tmp_path: Path):
    """Nothing is lost, and nothing is given twice."""
    units = [(number, str(tmp_path / "died")) for number in range(20)]
    with executor_of(2) as executor:
        found = list(run_units(executor, deadly_once, units, batch_seconds=0))
    assert (tmp_path / "died").exists()
    assert sorted(found) == [(unit, 2 * unit[0]) for unit in units]


def test_a_unit_that_no_worker_survives_is_named():
    """After five workers: the rest is not held up for ever by it."""
    with executor_of(2) as executor, pytest.raises(ExecutorError, match=r"failed 5 times at 3: Broken.*is kept"):
        list(run_units(executor, deadly, [3]))


def test_an_executor_that_breaks_as_a_whole_says_what_to_do(tmp_path: Path):
    """Python's own pool never works again."""
    units = [(number, str(tmp_path / "died")) for number in range(5)]
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(ExecutorError, match=r"accepts no more work: BrokenProcessPool.*Make a new executor.*executor=N"),
    ):
        list(run_units(executor, deadly_once, units))


def test_units_that_take_longer_than_those_before_do_not_pile_up(monkeypatch: pytest.MonkeyPatch):
    """A batch that was made too large ends when its time is up, so that no worker has what others could do."""
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    batches: list[tuple[int, float]] = []

    class Noting(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            future: Any = super().submit(fn, *args, **kwargs)
            future.add_done_callback(note)
            return future

    def note(done: Any) -> None:
        answer = done.result()
        batches.append((len(answer.results), answer.seconds))

    def take(seconds: float) -> float:
        nonlocal now
        now += seconds
        return seconds

    units = [0.001] * 2000 + [1.0] * 20
    with Noting(1) as executor:
        found = [seconds for _, seconds in run_units(executor, take, units, batch_seconds=0.5)]
    assert sorted(found) == sorted(units)
    assert max(seconds for _, seconds in batches) < 2.5
    assert max(count for count, _ in batches) >= 256


def test_without_cloudpickle_the_error_says_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    """A function without a name of its own cannot travel by pickle alone."""
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with executor_of(2) as executor, pytest.raises(OptionError, match="Install cloudpickle"):
        list(run_units(executor, lambda number: number, [1]))


def test_workers_with_another_memzoo_are_refused(monkeypatch: pytest.MonkeyPatch):
    """Results of two versions would be mixed."""
    monkeypatch.setattr(dispatch, "__version__", "99.0")
    with (
        executor_of(2) as executor,
        pytest.raises(ExecutorError, match=r"the worker has memzoo .*, but the work comes from memzoo 99\.0"),
    ):
        list(run_units(executor, doubled, [1]))


def test_workers_end_with_the_process_that_began_them():
    """Also if it is killed, and can tell nobody."""
    script = (
        "import os, signal, sys; from memzoo.dispatch import executor_of, run_units\n"
        "import tests.test_dispatch as here\n"
        "executor = executor_of(2).__enter__()\n"
        "for _, pid in run_units(executor, here.worker, range(3)): print(pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    # The workers have the pipe too: reading ends when all have ended, or the time-out of this test has come.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(done.stdout.split()) == 3


@pytest.mark.parametrize("given", [0, -1, True, 1.5, "dask://127.0.0.1:8786"])
def test_an_executor_that_is_none_is_refused(given: Any):
    """With what would be right."""
    with pytest.raises(OptionError, match=f"executor must be .*or a number of processes.*not {given!r}"):
        executor_of(given)


def test_the_executor_of_a_client_of_dask():
    """What Dask itself gives is worked on as it is, with as many batches as it has workers for, and left open."""
    distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed")
    # Its workers are threads here; in `tests/faults/test_upkeep.py` they are processes.
    own: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with (
        warnings.catch_warnings(action="ignore"),
        distributed.LocalCluster(**own, protocol="tcp://", host="127.0.0.1") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        executor = client.get_executor()
        with executor_of(executor) as same:
            assert (same, most_under_way(same)) == (executor, 4)
            assert dict(run_units(same, doubled, range(9), batch_seconds=0)) == {one: 2 * one for one in range(9)}
        assert executor.submit(doubled, 3).result() == 6
