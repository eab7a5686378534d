"""What the measurements run on, and how they say that they cannot."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import MemoryZooError, OptionError

__all__ = ["LOCOMO", "REALMEM", "STATEBENCH", "conversations", "limits_of", "refusals"]

LOCOMO = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "locomo" / "dev.json"
"""Where the conversations of LoCoMo are looked for: beside the project, of which they are no part."""

REALMEM = LOCOMO.parents[1] / "realmem" / "dev.json"
"""Where RealMem's talks between a user and an assistant are looked for."""

STATEBENCH = LOCOMO.parents[1] / "statebench" / "dev.jsonl"
"""Where StateBench's timelines are looked for."""


def conversations(*paths: Path) -> list[Transcript]:
    """Read the conversations of files.

    Raises:
        OptionError: A file is not there.
        TranscriptError: A file cannot be understood.
    """
    if missing := [str(path) for path in paths if not path.exists()]:
        raise OptionError(f"there is no {', '.join(missing)}: nothing to measure on")
    return [one for path in paths for one in load_transcripts(path)]


def limits_of(budgets: str) -> list[int]:
    """Read budgets from the command line.

    Raises:
        OptionError: They are no whole numbers from 1 on.
    """
    try:
        limits = sorted({int(budget) for budget in budgets.split(",")})
    except ValueError as error:
        raise OptionError(f"--budgets must be whole numbers with commas between them, not {budgets!r}") from error
    if limits[0] < 1:
        raise OptionError(f"--budgets must be 1 or more, not {limits[0]}")
    return limits


@contextmanager
def refusals() -> Iterator[None]:
    """Say in a line what is wrong, and end the command with 1."""
    try:
        yield
    except MemoryZooError as error:
        typer.secho(str(error), fg="red")
        raise typer.Exit(1) from error
