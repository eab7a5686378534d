"""Settings for recording and replaying cassettes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from os import PathLike
from typing import Literal, Self, TypeAlias, TypedDict, get_args

from memzoo.cassettes.errors import CassetteError
from memzoo.cassettes.ignoring import Ignore, Ignored
from memzoo.errors import OptionError
from memzoo.forks import new_lock
from memzoo.stores.base import utc_now

Record: TypeAlias = Literal["none", "once", "all"]
"""The mode: `"none"` only replays, `"once"` records if the file is missing, `"all"` records again."""

Timing: TypeAlias = Literal["none", "recorded"]
"""The treatment of pauses in streams: `"recorded"` records and replays them."""

Stale: TypeAlias = Literal["warn", "fail"]
"""The treatment of a cassette that is too old."""

MAX_BYTES = 100_000
"""The default limit for the size of a cassette in bytes; nobody reads a larger file in a review."""

LIST_FOLDER, LIST_GAP = "# folder: ", "# gap: "
"""The prefixes of lines of `--cassette-list` that do not name a cassette."""


class Budget:
    """A token limit for all recordings together."""

    def __init__(self, tokens: int) -> None:
        """Create a budget of `tokens` tokens, for prompts and answers together.

        Raises:
            OptionError: The number is not positive.
        """
        if tokens <= 0:
            raise OptionError(f"A budget of {tokens} tokens allows nothing: it must be at least 1")
        self.tokens = tokens
        self.spent = 0
        self._lock = new_lock()

    def spend(self, tokens: int) -> None:
        """Add to the tokens spent so far."""
        with self._lock:
            self.spent += tokens

    def check(self) -> None:
        """Check that the budget is not spent yet. Call this method before each request.

        Raises:
            CassetteError: The budget is spent.
        """
        if self.spent >= self.tokens:
            raise CassetteError(
                f"The budget for recordings, {self.tokens:,} tokens, is spent ({self.spent:,}):"
                " this request was not sent. Raise --record-budget, or record fewer tests at once."
            )


class CassetteOptions(TypedDict, total=False):
    """The keyword arguments of `use_cassette` and `CassetteProxy`; `CassetteSettings` describes them."""

    record: Record
    ignore: Sequence[Ignore]
    allow_errors: bool
    timing: Timing
    max_age: int | None
    stale: Stale
    note: str | None
    max_bytes: int
    secret_variables: Sequence[str]
    record_command: str | None
    clock: Callable[[], datetime]
    budget: Budget | None
    live_from: int | str | None
    into: str | PathLike[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteSettings:
    """Settings for recording and replaying a cassette.

    Attributes:
        record: `"none"` to replay only, `"once"` to record if the file is missing, `"all"` to record again.
        ignore: Rules for the parts of a request that may differ from run to run; see `Ignore`.
        allow_errors: True to record failures, too: responses with a status of 400 or above, and broken streams.
        timing: `"recorded"` to record the pauses of streams and repeat them in a replay.
        max_age: The maximum age of a recording in days; by default unlimited.
        stale: The treatment of a recording older than `max_age`: `"warn"` or `"fail"`.
        note: A line for the cassette's header. By default, a note appears only if the offline model was used, and
            says so.
        max_bytes: The limit for the size of a recording, in bytes.
        secret_variables: Names of further environment variables with secrets to scrub.
        record_command: The command that records the cassette again, for failure messages.
        clock: A function that returns the current date, for recordings and their age.
        budget: The token limit for recordings.
        live_from: The step from which the run is recorded anew instead of replayed: its number, or the name of its
            tool, model or prompt.
        into: The file to write with `live_from`: it gets all steps, replayed and new.
        ignored: The rules of `ignore` in parsed form.
    """

    record: Record = "none"
    ignore: Sequence[Ignore] = ()
    allow_errors: bool = False
    timing: Timing = "none"
    max_age: int | None = None
    stale: Stale = "warn"
    note: str | None = None
    max_bytes: int = MAX_BYTES
    secret_variables: Sequence[str] = ()
    record_command: str | None = None
    clock: Callable[[], datetime] = utc_now
    budget: Budget | None = None
    live_from: int | str | None = None
    into: str | PathLike[str] | None = None
    ignored: Ignored = field(init=False)

    def __post_init__(self) -> None:
        for name, choices in (("record", get_args(Record)), ("timing", get_args(Timing)), ("stale", get_args(Stale))):
            value = getattr(self, name)
            if value not in choices:
                raise OptionError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}")
        for name in ("ignore", "secret_variables"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise OptionError(f"{name}={value!r} is a string, not a list: write {name}=[{value!r}]")
            if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
                raise OptionError(f"{name}={value!r} is not a list")
        # Checked here, because an error at the end of a recording would waste the cost of its calls.
        for name, kind, what in (
            ("max_age", int | None, "a number of days"),
            ("max_bytes", int, "a number of bytes"),
            ("allow_errors", bool, "True or False"),
            ("note", str | None, "a string"),
            ("budget", Budget | None, "a Budget"),
            ("live_from", int | str | None, "the number or the name of a step"),
            ("into", str | PathLike | None, "the path of a file"),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind) or (isinstance(value, int) and value < (name == "max_bytes")):
                raise OptionError(f"{name}={value!r} is not {what}")
        if (self.live_from is None) != (self.into is None) or (self.into is not None and self.record != "none"):
            raise OptionError(
                f"live_from={self.live_from!r} and into={self.into!r} must be given together, and only with "
                "record='none'"
            )
        if not callable(self.clock):
            raise OptionError(f"clock={self.clock!r} is not a function that returns the time")
        object.__setattr__(self, "ignored", Ignored(self.ignore))

    @classmethod
    def of(cls, function: str, given: CassetteOptions) -> Self:
        """Return the settings given to a function as keyword arguments.

        Raises:
            OptionError: A setting is unknown or invalid.
        """
        known = CassetteOptions.__annotations__
        if unknown := sorted(given.keys() - known.keys()):
            raise OptionError(f"{function} has no option {unknown[0]!r}; it has {', '.join(known)}")
        return cls(**given)

    @property
    def hint(self) -> str:
        """The last line of a failure message, which says how to record the cassette."""
        command = self.record_command or 'use_cassette(..., record="all")'
        return f"To record it: {command}"
