"""Keeps the finished tasks of a comparison, so that a killed run can continue.

Each finished task is a line of `outcomes.jsonl`, which a single process writes at once. At the end the lines are
sorted, so the file does not depend on interruptions or on the division of work.
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

__all__ = ["Checkpoint", "Copy", "Finished", "Key", "settings_digest"]

Key: TypeAlias = tuple[int, str]
"""A task's name: the conversation's number and the memory's name."""

_PART_SECONDS = 1.0


def settings_digest(values: Iterable[str]) -> str:
    """Compute a digest of texts of any number."""
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        digest.update(value.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Finished:
    """The result of a task.

    Attributes:
        line: The outcome as written; empty if the task was stopped because it might have spent more than its share.
        timing: Its duration.
        spent: The part of its share that it spent.
        needed: The possible cost of the call before which it was stopped.
    """

    line: bytes
    timing: Timing
    spent: float = 0.0
    needed: float = 0.0


class Checkpoint:
    """Keeps finished tasks in a folder: outcomes, and times beside them.

    Args:
        folder: The folder; made if it is missing.
        settings: Everything that the outcomes depend on; a run with other settings is not continued.
        order: The names of the memories, in the order of the table.
        copy: Keeps a copy in another place, for a run that continues on another machine.
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
        """Write a finished task; when this returns, the data survives this process."""
        timing = json.dumps(asdict(done.timing)).encode() + b"\n"
        # Times first: a kill then leaves at most a time without an outcome, which is measured again.
        with self._times.open("ab") as file:
            file.write(timing)
        with self.path.open("ab") as file:
            self._places[key] = file.tell()
            file.write(done.line)
        if self._copy:
            self._copy.add(timing, done.line)

    def flush(self) -> None:
        """Write the missing parts of the copy."""
        if self._copy:
            self._copy.flush()

    def outcomes(self) -> Iterator[Outcome]:
        """Yield all finished outcomes in order: by conversation, then by memory."""
        with self.path.open("rb") as file:
            for key in self._sort():
                file.seek(self._places[key])
                yield Outcome.model_validate_json(file.readline())

    def times(self) -> Iterator[Timing]:
        """Yield how long tasks took, in the order in which they finished."""
        with self._times.open(encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    yield Timing(**json.loads(line))

    def finish(self) -> None:
        """Sort the lines; the next run begins afresh."""
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
        except Exception as error:  # what a URL leads to has errors of its own
            place = str(self._copy or folder)
            said = getattr(error, "strerror", None) or error
            raise OptionError(f"the results cannot be written to {place!r}: {said}") from error
        self._read()

    def _read(self) -> None:
        """Find finished tasks, dropping a line that was cut off when the process was killed."""
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
    """Keeps a checkpoint behind a URL too, where nothing can be added to a file: as parts, about one a second.

    Args:
        folder: Where.
        clock: Gives seconds.
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
        """Fetch the files of an interrupted run."""
        if not self._settings.exists():
            return
        parts = [part.read_bytes().partition(b"\n\n") for part in self._list()]
        times.write_bytes(b"".join(timings + b"\n" for timings, _, _ in parts))
        outcomes.write_bytes(b"".join(lines for _, _, lines in parts))
        settings.write_bytes(self._settings.read_bytes())
        self._count = len(parts)

    def begin(self, settings: str) -> None:
        """Delete the files of an earlier run, and begin with other settings."""
        self._clear()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._settings.write_text(settings, encoding="utf-8")

    def add(self, timing: bytes, outcome: bytes) -> None:
        """Accept finished tasks; they are written after a second, or at `flush`."""
        self._timings.append(timing)
        self._outcomes.append(outcome)
        if self._clock() - self._written >= _PART_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write everything new as one part, whole or not at all."""
        if self._outcomes:
            self._count += 1
            self._parts.mkdir(parents=True, exist_ok=True)
            (self._parts / f"{self._count:08}.jsonl").write_bytes(
                b"\n".join(map(b"".join, (self._timings, self._outcomes)))
            )
        self._timings, self._outcomes, self._written = [], [], self._clock()

    def finish(self, files: Sequence[Path]) -> None:
        """Write the final files, and delete the parts."""
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
