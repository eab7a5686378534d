"""Where memzoo's CPU time goes in a row of the speed table."""

import signal
import time
from collections import Counter
from types import FrameType

from memzoo.benchmarks.research.speed_timing import Prepare

__all__ = ["shares"]

_SECONDS, _EVERY = 3.0, 0.001
"""Seconds of CPU to spend, and those between two looks; the clock of the system may be coarser."""


def shares(prepare: Prepare, count: int) -> dict[str, float]:
    """Return the share of the CPU time that is spent in each function of memzoo, the largest first.

    What a function calls in other libraries, in the interpreter and in the system counts as its own. The work is looked
    at now and then: a profiler that notes each call makes many small functions look dear.

    Args:
        prepare: The work.
        count: Calls between two preparations, which are not looked at.
    """
    prepare()(1)  # The first call imports and fills caches.
    seen: Counter[str] = Counter()
    is_working = False

    def look(_: int, frame: FrameType | None) -> None:
        while frame is not None and not frame.f_globals.get("__name__", "").startswith("memzoo."):
            frame = frame.f_back
        if is_working and frame is not None:
            seen[f"{frame.f_globals['__name__'].removeprefix('memzoo.')}.{frame.f_code.co_qualname}"] += 1

    before = signal.signal(signal.SIGPROF, look)
    try:
        # Set once: a timer that is set anew before the clock of the system has moved never rings.
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
        end = time.process_time() + _SECONDS
        while time.process_time() < end:
            repeat = prepare()
            is_working = True
            repeat(count)
            is_working = False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return {name: times / seen.total() for name, times in seen.most_common()}
