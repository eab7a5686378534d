"""Runs the tasks of a comparison. A task runs one memory through one conversation."""

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

Progress: TypeAlias = Callable[[str, int], None]
"""A function called with the name of a memory and the number of steps done since the last call."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: one memory to run through one conversation.

    Attributes:
        number: The number of the conversation, from 0.
        keep_views: True to keep the views shown for the questions.
        share: The part of the spending limit that this task may use; `None` without a limit.
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
        """The key of the task: the conversation's number and the memory's name."""
        return self.number, self.variant.name


def run_tasks(
    tasks: Iterable[Task],
    checkpoint: Checkpoint,
    settings: Settings,
    *,
    executor: Executor | None,
    progress: Progress | None,
) -> str:
    """Run the tasks that are not finished yet.

    Without an executor, the tasks run one after the other in this process.

    Returns:
        The reason why the run ended early; "" if all tasks are finished.
    """
    progress = progress or (lambda _name, _steps: None)
    waiting, stop_at = _skip_finished(tasks, checkpoint, progress), settings.stop_at
    if stop_at is None:
        for task, done in _work_on(executor, settings, waiting, progress):
            checkpoint.write(task.key, done)
        return ""
    budget, stopped = SharedBudget(stop_at, most_under_way(executor)), list[Task]()
    ended = ""
    # No batches, so that each task has a share of its own.
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
    """Yield each task with a share; `None` while no share is free.

    A task that was stopped at the limit of its share is yielded again with a new share.
    """
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
    """Run tasks, and yield each with its result.

    Progress is reported during a task if it runs in this process; the steps still missing are reported at its end.
    """
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
    """Run a task; called in this process or in a worker of the executor."""
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
    except Exception as error:  # noqa: BLE001 - an error must not end a run that has cost hours and money
        if not isinstance(error, MemoryZooError):
            error.add_note(f"This happened in {task}.")
        said = f"{type(error).__name__}: {error}"
        outcome, timing = Outcome(transcript=task.number, memory=name, error=said), Timing(name)
    line = outcome.model_dump_json(exclude_defaults=True).encode() + b"\n"
    return Finished(line, timing, limit.spent if limit else 0.0)
