"""Measures the CPU time of the same work in several libraries, in one run."""

import gc
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeAlias

Repeat: TypeAlias = Callable[[int], object]
"""A function that does the measured work a number of times, its argument."""

Prepare: TypeAlias = Callable[[], Repeat]
"""A function that prepares a sample, and returns the work to measure; the preparation is not measured."""

# After a garbage collection, the first calls take twice as long; in shorter samples they would count too much.
_SAMPLE_SECONDS = 0.05
_PATIENCE = 10.0
_FEWEST = 3


@dataclass(frozen=True)
class Place:
    """A place to measure one row of the table.

    Attributes:
        folder: The folder for the libraries' files.
        stack: The resources to close after the measurement.
    """

    folder: Path
    stack: ExitStack = field(default_factory=ExitStack)


Maker: TypeAlias = Callable[[Place], Prepare]
"""A function that sets up a library for one row of the table, and returns the function that prepares each sample."""


def again(call: Callable[[], object]) -> Prepare:
    """Return a `Prepare` for a call that needs no preparation."""

    def repeat(count: int) -> None:
        for _ in range(count):
            call()

    return lambda: repeat


def medians(
    works: Mapping[str, Prepare], samples: int, most: int, timer: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Return a dict from library to the median CPU seconds of a call.

    The libraries take turns, so that other work on the machine affects all of them alike.

    Args:
        works: A dict from library to a function that prepares the calls to measure.
        samples: The number of samples of each library. A slow library has fewer, but at least three.
        most: The maximum number of calls in one sample; 1 if each call needs a preparation of its own.
        timer: A function that returns the CPU seconds of this process.
    """
    counts = {name: _count(prepare, most, timer) for name, prepare in works.items()}
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(samples):
        for name, prepare in works.items():
            if len(taken[name]) < _FEWEST or sum(taken[name]) * counts[name] < _PATIENCE:
                taken[name].append(_sample(prepare, counts[name], timer))
    return {name: median(times) for name, times in taken.items()}


def _count(prepare: Prepare, most: int, timer: Callable[[], float]) -> int:
    """Return the number of calls in a sample that is long enough to time."""
    _sample(prepare, 1, timer)  # The first call imports and fills caches.
    count = 1
    # Measured anew for each count, because the time of one call does not predict the time of many.
    while count < most and _sample(prepare, count, timer) * count < _SAMPLE_SECONDS:
        count *= 2
    return min(count, most)


def _sample(prepare: Prepare, count: int, timer: Callable[[], float]) -> float:
    repeat = prepare()
    # A garbage collection visits the objects of all libraries, so its time would be added to one of them by chance.
    gc.collect()
    gc.disable()
    try:
        start = timer()
        repeat(count)
        return (timer() - start) / count
    finally:
        gc.enable()
