"""Keeps the finished tasks of a comparison, so that a killed run can continue.

A single process writes a line to `outcomes.jsonl` after each task. At the end, the lines are sorted, so that the file
does not depend on interruptions or the number of workers.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.measure.settings import Timing
from memzoo.benchmarks.outcomes import Outcome
from memzoo.errors import OptionError

Key: TypeAlias = tuple[int, str]
"""A task's name: the conversation's number and the memory's name."""

_PART_SECONDS = 1.0


def settings_digest(values: Iterable[str]) -> str:
    """Return a digest of texts (settings or inputs), to compare with the texts of an earlier run."""
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        digest.update(value.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a task (one memory in one conversation).

    Attributes:
        line: The measurements as a line of JSON; "" if the task was stopped at its spending limit.
        needed: The highest possible cost of the model call that was refused at the limit; 0 if no call was refused.
    """

    line: bytes
    timing: Timing
    spent: float = 0.0
    needed: float = 0.0


class Checkpoint:
    """A folder with the measurements and times of finished tasks. A task is one memory in one conversation.

    Args:
        folder: The folder; created if missing.
        settings: The settings of the comparison. Tasks that were run with other settings are deleted.
        order: The names of the memories, in the order of the table.
        copy: A copy of the files at a URL, from which another machine can continue the run.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], order: Sequence[str], copy: "Copy | None" = None
    ) -> None:
        self.path = folder / "outcomes.jsonl"
        self._times = folder / "times.jsonl"
        self._settings = folder / "unfinished.json"
        self._order = {name: place for place, name in enumerate(order)}
        self._known = json.dumps(settings, sort_keys=True, default=repr)
        self._places: dict[Key, int] = {}
        self._copy = copy
        self._open(folder)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def write(self, key: Key, done: Finished) -> None:
        """Write a finished task to disk; the data then survives the end of this process."""
        timing = json.dumps(asdict(done.timing)).encode() + b"\n"
        # The time comes first: a kill in between then leaves a time without its outcome, and the task is done again.
        with self._times.open("ab") as file:
            file.write(timing)
        with self.path.open("ab") as file:
            self._places[key] = file.tell()
            file.write(done.line)
        if self._copy:
            self._copy.add(timing, done.line)

    def flush(self) -> None:
        """Write finished tasks to the copy at the URL, if they are not there yet."""
        if self._copy:
            self._copy.flush()

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the measurements of all finished tasks, sorted by conversation, then by memory."""
        with self.path.open("rb") as file:
            for key in self._sort():
                file.seek(self._places[key])
                yield Outcome.model_validate_json(file.readline())

    def times(self) -> Iterator[Timing]:
        """Yield the times of the tasks, in the order in which the tasks finished."""
        with self._times.open(encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    yield Timing(**json.loads(line))

    def finish(self) -> None:
        """Sort the lines of all tasks, and mark the run as complete; the next run then starts from the beginning."""
        ordered = self.path.with_suffix(".tmp")
        with self.path.open("rb") as file, ordered.open("wb") as new:
            for key in self._sort():
                file.seek(self._places[key])
                self._places[key] = new.tell()
                new.write(file.readline())
        ordered.replace(self.path)
        self._settings.unlink(missing_ok=True)
        if self._copy:
            self._copy.finish([self.path, self._times])

    def _sort(self) -> list[Key]:
        return sorted(self._places, key=lambda key: (key[0], self._order[key[1]]))

    def _open(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._copy:
                self._copy.fetch(self._settings, self._times, self.path)
            known = self._settings.read_text(encoding="utf-8") if self._settings.exists() else ""
            if known != self._known:
                self.path.write_bytes(b"")
                self._times.write_bytes(b"")
                self._settings.write_text(self._known, encoding="utf-8")
                if self._copy:
                    self._copy.begin(self._known)
        except Exception as error:  # each kind of remote storage raises its own errors
            place = str(self._copy or folder)
            said = getattr(error, "strerror", None) or error
            raise OptionError(f"the results cannot be written to {place!r}: {said}") from error
        self._read()

    def _read(self) -> None:
        """Index the finished tasks, and cut off a last line that is incomplete because the process was killed."""
        end = 0
        with self.path.open("rb+") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                known = json.loads(line)
                self._places[known["transcript"], known["memory"]] = end
                end += len(line)
            file.truncate(end)


class Copy:
    """A copy of a checkpoint at a URL.

    Remote storage cannot append to a file. Instead, new tasks are written to a new file, about once a second.

    Args:
        folder: The remote folder.
        clock: A function that returns the time in seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._settings, self._parts = folder / "unfinished.json", folder / "unfinished"
        self._clock = clock
        self._written = clock()
        self._count = 0
        self._timings: list[bytes] = []
        self._outcomes: list[bytes] = []

    def __str__(self) -> str:
        return str(self._folder)

    def fetch(self, settings: Path, times: Path, outcomes: Path) -> None:
        """Copy the settings, times and outcomes of an interrupted run into local files."""
        if not self._settings.exists():
            return
        parts = [part.read_bytes().partition(b"\n\n") for part in self._list()]
        times.write_bytes(b"".join(timings + b"\n" for timings, _, _ in parts))
        outcomes.write_bytes(b"".join(lines for _, _, lines in parts))
        settings.write_bytes(self._settings.read_bytes())
        self._count = len(parts)

    def begin(self, settings: str) -> None:
        """Delete the files of an earlier run, and begin a run with these settings."""
        self._clear()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._settings.write_text(settings, encoding="utf-8")

    def add(self, timing: bytes, outcome: bytes) -> None:
        """Add a finished task. If the last write was at least a second ago, write the added tasks."""
        self._timings.append(timing)
        self._outcomes.append(outcome)
        if self._clock() - self._written >= _PART_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the tasks added since the last write to a new file."""
        if self._outcomes:
            self._count += 1
            self._parts.mkdir(parents=True, exist_ok=True)
            (self._parts / f"{self._count:08}.jsonl").write_bytes(
                b"\n".join(map(b"".join, (self._timings, self._outcomes)))
            )
        self._timings, self._outcomes, self._written = [], [], self._clock()

    def finish(self, files: Sequence[Path]) -> None:
        """Copy the results of the finished run to the URL, and delete the files written there during the run."""
        for file in files:
            (self._folder / file.name).write_bytes(file.read_bytes())
        self._settings.unlink(missing_ok=True)
        self._clear()

    def _list(self) -> list[Path]:
        return sorted(self._parts.iterdir(), key=str) if self._parts.is_dir() else []

    def _clear(self) -> None:
        self._timings, self._outcomes, self._count = [], [], 0
        for part in self._list():
            part.unlink()
