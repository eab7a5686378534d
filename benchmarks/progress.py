"""Shows the progress of a comparison."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from memzoo.benchmarks.inputs import Source, source_of
from memzoo.benchmarks.measure.measuring import steps_in

_LINE_EVERY = 10.0


@contextmanager
def watch_progress(files: Source, names: Sequence[str], console: Console) -> Iterator[Callable[[str, int], None]]:
    """Yield a function that shows progress: it takes a memory's name and the number of new steps done.

    The remaining time is not shown, because the time for a step differs too much between memories.
    """
    total = sum(map(steps_in, source_of(files)()))
    with _quiet_log():
        if not console.is_terminal:
            yield ProgressLines(total, names, console)
            return
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            tasks = {name: bar.add_task(name, total=total, start=False) for name in names}

            def advance(name: str, steps: int) -> None:
                bar.start_task(tasks[name])
                bar.advance(tasks[name], steps)

            yield advance


class ProgressLines:
    """Progress as lines of text: one about every ten seconds, and one for each finished memory."""

    def __init__(
        self, total: int, names: Sequence[str], console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._total = max(total, 1)
        self._done = dict.fromkeys(names, 0)
        self._console = console
        self._clock = clock
        self._began = self._spoke = clock()

    def __call__(self, name: str, steps: int) -> None:
        """Add steps of a memory, and print a line if a line is due."""
        self._done[name] += steps
        now = self._clock()
        if self._done[name] < self._total and now - self._spoke < _LINE_EVERY:
            return
        self._spoke = now
        share = sum(min(done, self._total) for done in self._done.values()) / (self._total * len(self._done))
        done = "done" if self._done[name] >= self._total else f"{self._done[name] / self._total:.0%}"
        passed = f"{now - self._began:,.0f} s"
        self._console.print(f"{name}: {done}; {share:.0%} of all, after {passed}", markup=False, highlight=False)


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Silence the log, since log lines would break up the progress bars; the table reports failures."""
    logger = logging.getLogger("memzoo")
    silent = logging.NullHandler()
    passing = logger.propagate
    logger.addHandler(silent)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(silent)
        logger.propagate = passing
