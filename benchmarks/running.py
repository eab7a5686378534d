"""What `memzoo compare` reads besides its conversations, the progress that it shows, and how it ends."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from memzoo.benchmarks.comparing import OFFLINE, Comparison, total_steps
from memzoo.benchmarks.report.changes import changes, list_missed
from memzoo.benchmarks.report.writing import table
from memzoo.benchmarks.results import Results
from memzoo.benchmarks.survey import Source
from memzoo.benchmarks.transcripts import read_transcripts, sample_path
from memzoo.benchmarks.transcripts.reading import STDIN
from memzoo.memories import ChatModel, Model

__all__ = ["ProgressLines", "rules", "show_found", "sources", "watch_progress"]

_LINE_EVERY = 10.0


def sources(paths: Sequence[str | Path], sample: str = "en") -> list[Any]:
    """Return what to read: these places, or a bundled conversation. Keeps standard input, to read it only once."""
    if STDIN in map(str, paths):
        return list(read_transcripts(paths))
    return list(paths) or [sample_path(sample)]


def rules(_name: str) -> Model:
    """Make the rules that replace each model when no model may be asked."""
    return ChatModel(OFFLINE)


def show_found(
    found: Comparison,
    out: str | Path,
    consoles: tuple[Console, Console],
    limits: Mapping[str, float] | None = None,
    earlier: Results | None = None,
) -> int:
    """Show what was found, and write it.

    Args:
        found: What was found.
        out: Where the files go.
        consoles: One for the results, one for everything else.
        limits: Thresholds, by figure.
        earlier: Results to compare with.

    Returns:
        The exit code: 1 if a model failed, a limit was reached, or a threshold was missed; else 0.
    """
    console, beside = consoles
    console.print(table(found), highlight=False)
    for path in found.save(out):
        beside.print(f"wrote {path}", markup=False, highlight=False)
    if earlier is not None:
        console.print("\n".join(changes(found.results, earlier)), markup=False, highlight=False)
    faults = list_missed(found.results, limits or {})
    if found.ended:
        faults.append(f"stopped: {found.ended}; what was finished is kept in {out}")
    for line in faults:
        beside.print(line, style="red", markup=False, highlight=False)
    return int(bool(faults or found.results.failed))


@contextmanager
def watch_progress(files: Source, names: Sequence[str], console: Console) -> Iterator[Callable[[str, int], None]]:
    """Show how much is done and how long that took, but not how long the rest will take.

    The time for an exchange differs a hundredfold between memories, and grows with the conversation in some.
    """
    total = total_steps(files)
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
    """Shows progress when no bar can be drawn: a line now and then, and one for each finished memory."""

    def __init__(
        self, total: int, names: Sequence[str], console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._total = max(total, 1)
        self._done = dict.fromkeys(names, 0)
        self._console = console
        self._clock = clock
        self._began = self._spoke = clock()

    def __call__(self, name: str, steps: int) -> None:
        """Take in that a memory took so many steps."""
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
    """Keep the log quiet: the table reports failures once, rather than lines between the progress bars."""
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
