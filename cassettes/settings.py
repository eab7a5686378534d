"""How a cassette is recorded and replayed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from memzoo.stores.base import utc_now
from memzoo.stores.errors import OptionError

__all__ = ["MAX_BYTES", "RECORD_CHOICES", "CassetteSettings", "Record"]

Record: TypeAlias = Literal["none", "once", "all"]
"""`"none"` only replays, `"once"` records where the file is missing, `"all"` records anew."""

RECORD_CHOICES: tuple[str, ...] = get_args(Record)

MAX_BYTES = 100_000
"""The size that a cassette may have, in bytes: more is not read by anybody in a review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteSettings:
    """How a cassette is recorded and replayed.

    Attributes:
        record: What to record: `"none"`, `"once"` or `"all"`.
        allow_errors: Record responses with a status of 400 and above, too.
        note: A line for the cassette's header; by default it tells when the model was an offline one.
        max_bytes: The size in bytes that a recording may have.
        secret_variables: Names of further environment variables whose values are scrubbed.
        record_command: The command that records the cassette again, for failure messages.
        clock: Tells the date of the recording.
    """

    record: Record = "none"
    allow_errors: bool = False
    note: str | None = None
    max_bytes: int = MAX_BYTES
    secret_variables: tuple[str, ...] = ()
    record_command: str | None = None
    clock: Callable[[], datetime] = utc_now

    def __post_init__(self) -> None:
        if self.record not in RECORD_CHOICES:
            raise OptionError(f"record={self.record!r} is not one of {', '.join(map(repr, RECORD_CHOICES))}")

    @property
    def hint(self) -> str:
        """How to record the cassette, as the last line of a failure message."""
        command = self.record_command or 'use_cassette(..., record="all")'
        return f"To record it: {command}"
