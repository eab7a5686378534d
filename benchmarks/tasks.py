"""The work of a comparison in tasks, one memory in one conversation each: done here, or on any executor.

Only the process that hands out the work writes down finished tasks and adds up the cost.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from memzoo.benchmarks.checkpoint import Checkpoint, Finished, Key
from memzoo.benchmarks.measure.measuring import measure, steps_in
from memzoo.benchmarks.measure.settings import Settings, Timing
from memzoo.benchmarks.money import LimitReachedError, SharedBudget, SpendingLimit
from memzoo.benchmarks.outcomes import Outcome
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.benchmarks.variants import Variant
from memzoo.dispatch import most_under_way, run_units
from memzoo.errors import MemoryZooError

__all__ = ["Progress", "Task", "run_tasks"]

Progress: TypeAlias = Callable[[str, int], None]
"""Called with the name of a memory and how many steps were done since the last call."""


@dataclass(frozen=True, slots=True)
class Task:
    """One memory in one conversation.

    Attributes:
        transcript: The conversation.
        number: Its number, from 0.
        variant: The memory.
        keep_views: As for `measure`.
        share: Its spending limit; `None` for no limit.
    """

    transcript: Transcript
    number: int
    variant: Variant
    keep_views: bool
    share: float | None = None

    def __str__(self) -> str:
        return f"{self.variant.name}, conversation {self.transcript.title!r}"

    @property
    def key(self) -> Key:
        """Its name: the conversation's number and the memory's name."""
        return self.number, self.variant.name


def run_tasks(
    tasks: Iterable[Task],
    checkpoint: Checkpoint,
    settings: Settings,
    *,
    executor: Executor | None,
    progress: Progress | None,
) -> str:
    """Do the unfinished tasks.

    Args:
        tasks: In any order.
        checkpoint: Takes finished tasks.
        settings: The settings.
        executor: Does the work; `None` for here, one task after the other.
        progress: Called on the way.

    Returns:
        The reason for an early end; "" if there was none.
    """
    progress = progress or (lambda _name, _steps: None)
    waiting, stop_at = _skip_finished(tasks, checkpoint, progress), settings.stop_at
    if stop_at is None:
        for task, done in _work_on(executor, settings, waiting, progress):
            checkpoint.write(task.key, done)
        return ""
    budget, stopped = SharedBudget(stop_at, most_under_way(executor)), list[Task]()
    ended = ""
    # One by one, so that each has a share of its own.
    for task, done in _work_on(executor, settings, _fund(waiting, stopped, budget), progress, batch_seconds=0):
        if budget.book(task.share or 0.0, done.spent, done.needed):
            ended = str(LimitReachedError(budget.spent, stop_at, done.needed))
            break
        if done.needed:
            stopped.append(task)
        else:
            checkpoint.write(task.key, done)
    return ended


def _skip_finished(tasks: Iterable[Task], checkpoint: Checkpoint, progress: Progress) -> Iterator[Task]:
    for task in tasks:
        if task.key in checkpoint:
            progress(task.variant.name, steps_in(task.transcript))
        else:
            yield task


def _fund(tasks: Iterator[Task], stopped: list[Task], budget: SharedBudget) -> Iterator[Task | None]:
    """Give each task its share, again for tasks stopped at a smaller one; `None` while there is none."""
    while True:
        task = stopped.pop() if stopped else next(tasks, None)
        if task is None and not budget.under_way:
            return
        share: float | None = None
        while task is not None and (share := budget.share()) is None:
            yield None
        yield replace(task, share=share) if task else None


def _work_on(
    executor: Executor | None,
    settings: Settings,
    tasks: Iterator[Task | None],
    progress: Progress,
    **options: Any,
) -> Iterator[tuple[Task, Finished]]:
    """Do tasks, and report all their steps: those before an error on the way, and the rest at the end."""
    told = 0

    def advance(name: str, steps: int) -> None:
        nonlocal told
        told += steps
        progress(name, steps)

    do = functools.partial(_do, settings=settings, progress=advance if executor is None else None)
    for task, done in run_units(executor, do, tasks, **options):
        if done.line and (left := steps_in(task.transcript) - told):
            progress(task.variant.name, left)
        told = 0
        yield task, done


def _do(task: Task, *, settings: Settings, progress: Progress | None) -> Finished:
    """Do a task, here or where the work is done."""
    name = task.variant.name
    limit = None if task.share is None else SpendingLimit(settings.prices, task.share)

    def advance(steps: int) -> None:
        if progress:
            progress(name, steps)

    try:
        outcome, timing = measure(
            *(task.transcript, task.number, task.variant, settings),
            keep_views=task.keep_views,
            progress=advance,
            spending_limit=limit,
        )
    except LimitReachedError as error:
        return Finished(b"", Timing(name), error.spent, error.needed)
    except Exception as error:  # noqa: BLE001 - what was measured before may have cost hours and money
        if not isinstance(error, MemoryZooError):
            error.add_note(f"This happened in {task}.")
        said = f"{type(error).__name__}: {error}"
        outcome, timing = Outcome(transcript=task.number, memory=name, error=said), Timing(name)
    line = outcome.model_dump_json(exclude_defaults=True).encode() + b"\n"
    return Finished(line, timing, limit.spent if limit else 0.0)
