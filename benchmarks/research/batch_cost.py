"""What a million conversations cost on ever more workers: `python -m memzoo.benchmarks.research batch-cost`."""

import functools
import heapq
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor as Processes
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memzoo.benchmarks.comparing import compare
from memzoo.benchmarks.measure.measuring import measure, messages_in
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.research.executors import write_short_talks
from memzoo.benchmarks.research.inputs import refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Transcript, load_transcripts
from memzoo.benchmarks.variants import choose_variants
from memzoo.dispatch import BATCH_SECONDS
from memzoo.memories import create_memory, upkeep
from memzoo.stores import Message, open_store

__all__ = ["Coordinator", "batch_cost", "simulate"]

MEMORY = "summary"
_SAMPLE = 40


@dataclass(frozen=True)
class Coordinator:
    """CPU seconds that the process that hands out the work takes.

    Attributes:
        before: For a conversation, before the first is handed out: it reads all of them.
        each: To hand out a unit and to take what came of it.
        after: For a conversation, at the end: it gathers the figures.
    """

    before: float
    each: float
    after: float


@dataclass(frozen=True)
class Measured:
    """What work on a few conversations took.

    Attributes:
        units: Seconds of units of work, done one by one.
        count: How many units there were.
        coordinator: What the process that handed them out took.
        walls: Seconds from the first result to the last, by the number of workers.
    """

    units: list[float]
    count: int
    coordinator: Coordinator
    walls: dict[int, float]


def batch_cost(
    *,
    talks: Annotated[int, typer.Option(help="Short conversations that are really compared.")] = 200,
    latency: Annotated[float, typer.Option(help="Seconds that a call of the model takes.")] = 0.2,
    counted: Annotated[int, typer.Option(help="Conversations that are reckoned with.")] = 1_000_000,
    workers: Annotated[str, typer.Option(help="How many work, with commas.")] = "1,10,100,300,1000",
    unit_seconds: Annotated[
        float, typer.Option(help="Reckon with units of so many seconds; 0 for those measured.")
    ] = 0,
    each: Annotated[float, typer.Option(help="And with so many seconds of the coordinator for each.")] = 0,
) -> None:
    """Simulate `compare` and `upkeep` by what a few conversations take, and check that with 1, 2 and 4 workers."""
    if unit_seconds:
        _show_reckoned([unit_seconds], Coordinator(0, each, 0), counted, workers, 1)
        return
    with refusals(), tempfile.TemporaryDirectory() as spare:
        path = write_short_talks(Path(spare) / "talks.jsonl", talks)
        for name, measuring in (("compare", _measure_compare), ("upkeep", _measure_upkeep)):
            measured = measuring(path, latency)
            rows = [
                [str(jobs), f"{wall:.1f}", f"{expected:.1f}", f"{expected / wall:.2f}"]
                for jobs, wall in measured.walls.items()
                for expected in [simulate(measured.units, measured.count, jobs, measured.coordinator.each)]
            ]
            show(table(["workers", "seconds from the first result on", "simulated", "share"], rows, name))
            _show_reckoned(measured.units, measured.coordinator, counted, workers, measured.count // talks)


def simulate(seconds: Sequence[float], count: int, workers: int, each: float) -> float:
    """How long it takes until so many units are done, by an engine as `memzoo.dispatch` uses it.

    One coordinator hands out batches, two for each worker, and takes them back; whoever is free does the next one.

    Args:
        seconds: Of units, taken in turn, again and again.
        count: How many units there are.
        workers: How many work.
        each: Seconds of the coordinator for a unit, one half before it is done and one after.

    Example:
        >>> [round(simulate([1.0], 1000, workers, 0.01)) for workers in (1, 10, 100, 1000)]
        [1000, 100, 11, 10]
    """
    takes = itertools.cycle(seconds)
    size = max(1, min(1000, int(BATCH_SECONDS / statistics.fmean(seconds))))
    free = [0.0] * workers
    running: list[tuple[float, int]] = []
    now = 0.0
    while count or running:
        while count and len(running) < 2 * workers:
            batch = min(size, count)
            count -= batch
            now += batch * each / 2
            end = max(now, heapq.heappop(free)) + sum(itertools.islice(takes, batch))
            heapq.heappush(free, end)
            heapq.heappush(running, (end, batch))
        end, batch = heapq.heappop(running)
        now = max(now, end) + batch * each / 2
    return now


def _show_reckoned(units: Sequence[float], coordinator: Coordinator, count: int, workers: str, of_one: int) -> None:
    unit, alone = statistics.fmean(units), (coordinator.before + coordinator.after) * count
    rows = list[list[str]]()
    for number in map(int, workers.split(",")):
        during = simulate(units, count * of_one, number, coordinator.each)
        busy = count * of_one * coordinator.each / during
        rows.append([f"{number:,}", f"{during / 3600:,.1f}", f"{alone / 3600:,.1f}", f"{busy:.0%}"])
    show(
        table(["workers", "hours of work", "hours before and after", "coordinator busy"], rows),
        f"A unit takes {1000 * unit:.1f} ms, the coordinator {1000 * coordinator.each:.3f} ms for each, so that it is "
        f"what all wait for from {unit / coordinator.each:,.0f} workers on; before and after it takes "
        f"{1000 * coordinator.before:.2f} and {1000 * coordinator.after:.2f} ms for a conversation.",
    )


def _measure_compare(path: Path, latency: float) -> Measured:
    model = functools.partial(_reply, latency)
    settings, variants, talks = Settings(model=model), choose_variants([MEMORY]), load_transcripts(path)
    units = list[float]()
    for number, talk in enumerate(talks[:_SAMPLE]):
        for variant in variants:
            began = time.perf_counter()
            measure(talk, number, variant, settings, keep_views=False)
            units.append(time.perf_counter() - began)
    work = functools.partial(compare, path, [MEMORY], settings)
    return _measure_jobs(units, len(talks) * len(variants), len(talks), lambda: nullcontext(work))


def _measure_upkeep(path: Path, latency: float) -> Measured:
    talks = load_transcripts(path)
    with _prepare_upkeep(talks[:_SAMPLE], latency) as work:
        moments = [time.perf_counter()]

        def note(*_: object) -> None:
            moments.append(time.perf_counter())

        work(progress=note)
    units = [later - earlier for earlier, later in itertools.pairwise(moments)]
    return _measure_jobs(units, len(talks), len(talks), lambda: _prepare_upkeep(talks, latency))


@contextmanager
def _prepare_upkeep(talks: Sequence[Transcript], latency: float) -> Generator[Callable[..., object]]:
    """Store conversations of which nothing was learnt yet, and give what learns."""
    with tempfile.TemporaryDirectory() as folder, closing(open_store(f"sqlite:///{folder}/chats.db")) as store:
        for number, talk in enumerate(talks):
            create_memory("buffer", store=store, conversation_id=str(number)).add_messages([*messages_in(talk)])
        yield functools.partial(upkeep, store, MEMORY, llm=functools.partial(_reply, latency))


def _measure_jobs(
    units: list[float], count: int, talks: int, work: Callable[[], AbstractContextManager[Callable[..., object]]]
) -> Measured:
    coordinator, walls = Coordinator(0, 0, 0), dict[int, float]()
    for jobs in (1, 2, 4):
        moments = list[tuple[float, float]]()

        def note(*_: object, moments: list[tuple[float, float]] = moments) -> None:
            moments.append((time.perf_counter(), time.process_time()))

        with work() as working, Processes(jobs) as executor:  # one too, so that all have the same to do
            began = time.process_time()
            working(executor=executor, progress=note)
            ended = time.process_time()
        (first, first_cpu), (last, last_cpu) = moments[0], moments[-1]
        coordinator = Coordinator(
            (first_cpu - began) / talks, (last_cpu - first_cpu) / count, (ended - last_cpu) / talks
        )
        walls[jobs] = last - first
    return Measured(units, count, coordinator, walls)


def _reply(latency: float, _messages: Sequence[Message]) -> str:
    """A model that takes its time, so that workers wait for it and not for each other's cores."""
    time.sleep(latency)
    return "The user speaks of many things."
