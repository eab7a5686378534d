"""The work of a comparison in tasks, one memory in one conversation each: done in turn or by several processes.

Each finished task is written to `outcomes.jsonl` at once. Whoever is killed and begins again with the same settings
goes on where it was; at the end the lines are put in order, so that the file does not tell how often that was.
"""

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.measure.measuring import measure, steps_in
from memzoo.benchmarks.measure.setup import Setup, Timing
from memzoo.benchmarks.money import LimitReachedError
from memzoo.benchmarks.outcomes import Outcome
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.benchmarks.variants import Variant
from memzoo.errors import MemoryZooError, OptionError

__all__ = ["Checkpoint", "Progress", "Task", "run_tasks"]

Key: TypeAlias = tuple[int, str]

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
    """

    transcript: Transcript
    number: int
    variant: Variant
    keep_views: bool

    @property
    def key(self) -> Key:
        """Its name: the conversation's number and the memory's name."""
        return self.number, self.variant.name


class Checkpoint:
    """Keeps what is finished in a folder: outcomes, and times beside them.

    Args:
        folder: Made if it is not there.
        settings: All that the outcomes depend on: those of other settings are not gone on with.
        order: The names of the memories, in the order of the table.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], order: Sequence[str]) -> None:
        self.path = folder / "outcomes.jsonl"
        self._times = folder / "times.jsonl"
        self._settings = folder / "unfinished.json"
        self._order = {name: place for place, name in enumerate(order)}
        self._known = json.dumps(settings, sort_keys=True, default=repr)
        self._places: dict[Key, int] = {}
        self._open(folder)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def write(self, outcome: Outcome, timing: Timing) -> None:
        """Write what is finished; when this returns, it outlives this process."""
        # Times first: what a kill leaves behind is a time without an outcome, which is measured again.
        with self._times.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(timing)) + "\n")
        with self.path.open("ab") as file:
            self._places[outcome.transcript, outcome.memory] = file.tell()
            file.write(outcome.model_dump_json(exclude_defaults=True).encode() + b"\n")

    def outcomes(self) -> Iterator[Outcome]:
        """Go through all that is finished, in order: by conversation, then by memory."""
        with self.path.open("rb") as file:
            for key in self._sorted():
                file.seek(self._places[key])
                yield Outcome.model_validate_json(file.readline())

    def times(self) -> Iterator[Timing]:
        """Go through how long it took, in the order in which it was finished."""
        with self._times.open(encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    yield Timing(**json.loads(line))

    def finish(self) -> None:
        """Put the lines in order; the next run begins anew."""
        ordered = self.path.with_suffix(".tmp")
        with self.path.open("rb") as file, ordered.open("wb") as new:
            for key in self._sorted():
                file.seek(self._places[key])
                self._places[key] = new.tell()
                new.write(file.readline())
        ordered.replace(self.path)
        self._settings.unlink(missing_ok=True)

    def _sorted(self) -> list[Key]:
        return sorted(self._places, key=lambda key: (key[0], self._order[key[1]]))

    def _open(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            known = self._settings.read_text(encoding="utf-8") if self._settings.exists() else ""
            if known != self._known:
                self.path.write_bytes(b"")
                self._times.write_bytes(b"")
                self._settings.write_text(self._known, encoding="utf-8")
        except OSError as error:
            raise OptionError(f"the results cannot be written to {str(folder)!r}: {error.strerror}") from error
        self._read()

    def _read(self) -> None:
        """Find what is finished; a line that was cut off when the process was killed is taken away."""
        end = 0
        with self.path.open("rb+") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                known = json.loads(line)
                self._places[known["transcript"], known["memory"]] = end
                end += len(line)
            file.truncate(end)


def run_tasks(
    tasks: Iterable[Task],
    checkpoint: Checkpoint,
    setup: Setup,
    *,
    jobs: int,
    progress: Progress,
) -> str:
    """Do what is not finished yet.

    Args:
        tasks: In any order.
        checkpoint: Takes what is finished.
        setup: What all tasks have in common.
        jobs: How many processes.
        progress: Called on the way.

    Returns:
        Why it ended early; "" if it did not.
    """
    waiting = _waiting(tasks, checkpoint, progress)
    try:
        if jobs == 1:
            for task in waiting:
                checkpoint.write(*_do_and_tell(task, setup, progress))
        else:
            _by_processes(waiting, checkpoint, setup, jobs, progress)
    except LimitReachedError as error:
        return str(error)
    return ""


def settings_digest(values: Iterable[str]) -> str:
    """Compute a digest of texts of any number."""
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        digest.update(value.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


def _waiting(tasks: Iterable[Task], checkpoint: Checkpoint, progress: Progress) -> Iterator[Task]:
    for task in tasks:
        if task.key in checkpoint:
            progress(task.variant.name, steps_in(task.transcript))
        else:
            yield task


def _do_and_tell(task: Task, setup: Setup, progress: Progress) -> tuple[Outcome, Timing]:
    """Do a task, and tell of all its steps: those before an error on the way, the rest after it."""
    left = steps_in(task.transcript)

    def advance(steps: int) -> None:
        nonlocal left
        left -= steps
        progress(task.variant.name, steps)

    found = _done(task, setup, advance)
    if left:
        progress(task.variant.name, left)
    return found


def _done(task: Task, setup: Setup, advance: Callable[[int], None]) -> tuple[Outcome, Timing]:
    try:
        return measure(task.transcript, task.number, task.variant, setup, keep_views=task.keep_views, progress=advance)
    except LimitReachedError:
        raise
    except Exception as error:  # noqa: BLE001 - what was measured before may have cost hours and money
        if not isinstance(error, MemoryZooError):
            error.add_note(f"This happened in {task.variant.name}, conversation {task.transcript.title!r}.")
        said = f"{type(error).__name__}: {error}"
        return Outcome(transcript=task.number, memory=task.variant.name, error=said), Timing(task.variant.name)


def _by_processes(tasks: Iterator[Task], checkpoint: Checkpoint, setup: Setup, jobs: int, progress: Progress) -> None:
    running: dict[Future[tuple[Outcome, Timing]], tuple[str, int]] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(setup,)) as pool:
        try:
            # Few at a time: the conversations are read as they are needed, and need not all be in memory.
            for task in tasks:
                running[pool.submit(_apart, task)] = task.variant.name, steps_in(task.transcript)
                while len(running) >= 2 * jobs:  # one at work and one waiting for each process
                    _collect(running, checkpoint, progress)
            while running:
                _collect(running, checkpoint, progress)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _collect(
    running: dict[Future[tuple[Outcome, Timing]], tuple[str, int]], checkpoint: Checkpoint, progress: Progress
) -> None:
    finished, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in finished:
        name, steps = running.pop(future)
        checkpoint.write(*future.result())
        progress(name, steps)


_here: list[Setup] = []


def _begin(setup: Setup) -> None:
    _here[:] = [setup]


def _apart(task: Task) -> tuple[Outcome, Timing]:
    return _done(task, _here[0], lambda _steps: None)
