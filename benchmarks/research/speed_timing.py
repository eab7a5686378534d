"""CPU time of the same work in several libraries, in one run."""

import gc
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TypeAlias

__all__ = ["Maker", "Place", "Prepare", "Repeat", "again", "medians"]

Repeat: TypeAlias = Callable[[int], object]
"""Does the measured work so many times."""

Prepare: TypeAlias = Callable[[], Repeat]
"""Gets the work ready before each sample; that is not measured."""

# After garbage was collected, the first calls take twice as long: of shorter samples they would be a good part.
_SAMPLE_SECONDS = 0.05
_PATIENCE = 10.0
_FEWEST = 3


@dataclass(frozen=True)
class Place:
    """Where a library keeps its files during one row.

    Attributes:
        folder: An empty folder.
        stack: Closes what was opened when the row is done.
    """

    folder: Path
    stack: ExitStack = field(default_factory=ExitStack)


Maker: TypeAlias = Callable[[Place], Prepare]
"""Sets a library up for a row, once."""


def again(call: Callable[[], object]) -> Prepare:
    """Work that needs no preparation: the same call each time."""

    def repeat(count: int) -> None:
        for _ in range(count):
            call()

    return lambda: repeat


def medians(
    works: Mapping[str, Prepare], samples: int, most: int, timer: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Seconds of CPU that one call takes, medians.

    The libraries take turns (A B A B), so whatever else the machine does hits all of them alike. A library that has
    used more than ten seconds is sampled less often, but at least three times.

    Args:
        works: What to measure, by library.
        samples: How many samples to take of each.
        most: The most calls in a sample; 1 where each call needs a preparation of its own.
        timer: Tells the seconds of CPU that this process has used.
    """
    counts = {name: _count(prepare, most, timer) for name, prepare in works.items()}
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(samples):
        for name, prepare in works.items():
            if len(taken[name]) < _FEWEST or sum(taken[name]) * counts[name] < _PATIENCE:
                taken[name].append(_sample(prepare, counts[name], timer))
    return {name: median(times) for name, times in taken.items()}


def _count(prepare: Prepare, most: int, timer: Callable[[], float]) -> int:
    """How many calls make a sample that is long enough to time."""
    _sample(prepare, 1, timer)  # The first call imports and fills caches.
    count = 1
    # One call alone does not tell how long many take.
    while count < most and _sample(prepare, count, timer) * count < _SAMPLE_SECONDS:
        count *= 2
    return min(count, most)


def _sample(prepare: Prepare, count: int, timer: Callable[[], float]) -> float:
    repeat = prepare()
    # Collecting garbage walks the objects of all libraries, and whoever allocates next would pay for the others.
    gc.collect()
    gc.disable()
    try:
        start = timer()
        repeat(count)
        return (timer() - start) / count
    finally:
        gc.enable()
