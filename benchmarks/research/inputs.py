"""The input files of the measurements, and their error messages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from memzoo.benchmarks.transcripts import load_transcripts
from memzoo.benchmarks.transcripts.conversations import Transcript
from memzoo.errors import MemoryZooError, OptionError

LOCOMO = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "locomo" / "dev.json"
"""The path of LoCoMo's conversations, which are not part of the project."""

REALMEM = LOCOMO.parents[1] / "realmem" / "dev.json"
"""The path of RealMem's conversations between a user and an assistant."""

LIFEBENCH = LOCOMO.parents[1] / "lifebench" / "dev.json"
"""The path of LifeBench's messages of people, each in Chinese and in English."""

MEMORYBANK = LOCOMO.parents[1] / "memorybank"
"""The folder of MemoryBank's talks with an assistant, each in Chinese and in English."""

STATEBENCH = LOCOMO.parents[1] / "statebench" / "dev.jsonl"
"""The path of StateBench's timelines."""


def conversations(*paths: Path) -> list[Transcript]:
    """Return the conversations in files.

    Raises:
        OptionError: A file does not exist.
        TransferError: A file cannot be understood.
    """
    if missing := [str(path) for path in paths if not path.exists()]:
        raise OptionError(f"there is no {', '.join(missing)}: nothing to measure on")
    return [one for path in paths for one in load_transcripts(path)]


def limits_of(budgets: str) -> list[int]:
    """Return the budgets in a command-line text such as "1000,500", in ascending order.

    Raises:
        OptionError: The text is not a list of whole numbers of at least 1.
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
    """If the block raises a memzoo error, print it as one line, and exit with code 1."""
    try:
        yield
    except MemoryZooError as error:
        typer.secho(str(error), fg="red")
        raise typer.Exit(1) from error
