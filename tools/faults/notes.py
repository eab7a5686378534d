"""Notes that several processes write into one file, for the process that kills and counts."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ["Note", "Notes"]


class Note(NamedTuple):
    """A note: the kind of event, the process, and the numbers that the event is about."""

    kind: str
    pid: int
    numbers: list[int]


@dataclass(frozen=True)
class Notes:
    """Notes in a file, in the order of writing, from any process.

    Attributes:
        path: The file.
    """

    path: Path

    def add(self, kind: str, numbers: Sequence[int]) -> None:
        """Write a note for this process."""
        line = " ".join([kind, str(os.getpid()), *map(str, numbers)]) + "\n"
        with self.path.open("ab", buffering=0) as file:  # one write each, so that lines of several processes stay whole
            file.write(line.encode())

    def all(self, kind: str = "") -> list[Note]:
        """Return all notes, or all notes of one kind."""
        if not self.path.exists():
            return []
        lines = [line.split() for line in self.path.read_text(encoding="ascii").splitlines()]
        found = [Note(what, int(pid), [*map(int, numbers)]) for what, pid, *numbers in lines]
        return [note for note in found if kind in ("", note.kind)]
