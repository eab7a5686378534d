"""Opens and closes cassettes."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from memzoo.cassettes.errors import (
    CassetteFormatError,
    CassetteInUseError,
    MissingCassetteError,
    RecordingError,
    UnplayedInteractionError,
    replay_extra,
)
from memzoo.cassettes.http import HttpRequest, Response
from memzoo.cassettes.matching import shown, unplayed
from memzoo.cassettes.player import Player
from memzoo.cassettes.recording_stats import Facts, facts_of
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.secrets import Keys, secrets_in_environment
from memzoo.stores.base import utc_now
from memzoo.stores.errors import OptionError

__all__ = ["MAX_BYTES", "RECORD_CHOICES", "Cassette", "CassetteSettings", "Record", "use_cassette"]

Record: TypeAlias = Literal["none", "once", "all"]
"""`"none"` only replays, `"once"` records where the file is missing, `"all"` records anew."""

RECORD_CHOICES: tuple[str, ...] = get_args(Record)

MAX_BYTES = 100_000
"""The limit for the size of a cassette, in bytes: nobody reads more than that in a review."""

_lock = threading.Lock()
_open_paths: list[Path] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteSettings:
    """How a cassette is recorded and replayed.

    Attributes:
        record: `"none"` only replays and opens no socket, `"once"` records if the file is missing, `"all"` records
            anew.
        allow_errors: Record responses with a status of 400 and above, too.
        note: A line for the cassette's header; by default it says so if the model was an offline one.
        max_bytes: The limit for the size of a recording, in bytes.
        secret_variables: Names of further environment variables that hold secrets to scrub.
        record_command: The command that records the cassette again, for failure messages.
        clock: Returns the date of the recording.
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
        """The last line of a failure message: how to record the cassette."""
        command = self.record_command or 'use_cassette(..., record="all")'
        return f"To record it: {command}"


class Cassette:
    """An open cassette: until it is closed, every HTTP client of this process plays from it or records to it.

    Attributes:
        path: Its file.
        recording: Whether requests are sent and recorded, instead of answered from the file.
        facts: Statistics of a finished recording: models and tokens.
    """

    def __init__(self, path: str | PathLike[str], settings: CassetteSettings | None = None) -> None:
        """Open a cassette.

        Args:
            path: Its file.
            settings: How to record and replay; by default it is only replayed.

        Raises:
            MissingCassetteError: There is no such file, and recording is off.
            CassetteFormatError: The file is not a cassette.
            CassetteInUseError: Another cassette is open.
            MissingExtraError: vcrpy or PyYAML is not installed.
        """
        self.path = Path(path)
        self.facts = Facts()
        self._settings = settings or CassetteSettings()
        exists = self.path.is_file()
        self.recording = self._settings.record == "all" or (self._settings.record == "once" and not exists)
        if not self.recording and not exists:
            raise MissingCassetteError(
                f"There is no cassette {shown(self.path)!r}, and recording is off.\n{self._settings.hint}"
            )
        self._patches = ExitStack()
        self._player = self._playing()

    def close(self, failure: BaseException | None = None) -> None:
        """Stop playing or recording, and check that the code under test did what was recorded.

        Args:
            failure: What the code under test raised; if it failed, nothing is written and requests may be missing.

        Raises:
            UnmatchedRequestError: A request had no recording; even if the code under test swallowed that.
            UnplayedInteractionError: A recorded request was not sent.
            RecordingError: The recording may not be kept.
        """
        self._patches.close()
        self._raise_noted(failure)
        if failure is not None:
            return
        if self.recording:
            self._save()
        elif self._player.unplayed:
            message = unplayed(self._player.keys, self._player.unplayed, self.path, self._settings.hint)
            raise UnplayedInteractionError(message)

    def _playing(self) -> Player:
        with replay_extra():
            from memzoo.cassettes.interception import intercept
        with ExitStack() as patches:
            patches.enter_context(_alone(self.path))
            player = Player(
                None if self.recording else self._recordings(),
                scrubber=Scrubber(Keys(secrets_in_environment(self._settings.secret_variables))),
                path=self.path,
                hint=self._settings.hint,
                allow_errors=self._settings.allow_errors,
            )
            patches.enter_context(intercept(player))
            self._patches = patches.pop_all()
        return player

    def _recordings(self) -> list[tuple[HttpRequest, Response]]:
        with replay_extra():
            from memzoo.cassettes.format import read_recordings
        try:
            return read_recordings(self.path.read_text(encoding="utf-8"))
        except (CassetteFormatError, UnicodeDecodeError) as error:
            raise CassetteFormatError(f"{shown(self.path)}: {error}\n{self._settings.hint}") from error

    def _raise_noted(self, failure: BaseException | None) -> None:
        """Raise an error of the player that the code under test has swallowed."""
        noted = self._player.errors
        if not noted or any(known in noted for known in _chain(failure)):
            return
        for other in noted[1:]:
            noted[0].add_note(f"And then:\n{other}")
        raise noted[0]

    def _save(self) -> None:
        from memzoo.cassettes.format import ReadableSerializer, write_recordings

        recordings, settings = self._player.recordings, self._settings
        self.facts = facts_of(response for _, response in recordings)
        serializer = ReadableSerializer(clock=settings.clock, note=settings.note)
        text = write_recordings(recordings, serializer).encode()
        if len(text) > settings.max_bytes:
            raise RecordingError(
                f"The cassette {shown(self.path)!r} would have {len(text):,} bytes; the limit is {settings.max_bytes:,}"
                ", so it was not written. Record fewer or shorter calls (for embeddings: fewer dimensions), or raise"
                " max_bytes."
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # A process that dies while it writes must not leave half a cassette.
        fresh = self.path.with_name(f"{self.path.name}.new")
        fresh.write_bytes(text)
        fresh.replace(self.path)


@contextmanager
def use_cassette(
    path: str | PathLike[str],
    *,
    record: Record = "none",
    allow_errors: bool = False,
    note: str | None = None,
    max_bytes: int = MAX_BYTES,
    secret_variables: tuple[str, ...] = (),
    record_command: str | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Generator[Cassette]:
    """Replay, or record, all HTTP requests of a `with` block.

    Args:
        path: The file of the cassette.
        record: `"none"` only replays and opens no socket, `"once"` records if the file is missing, `"all"` records
            anew. Nothing is written if the block raises.
        allow_errors: As in `CassetteSettings`, like all further options.
        note: A line for the cassette's header.
        max_bytes: The limit for the size of a recording, in bytes.
        secret_variables: Names of further environment variables that hold secrets to scrub.
        record_command: The command that records the cassette again.
        clock: Returns the date of the recording.

    Yields:
        The open cassette.

    Raises:
        CassetteError: As `Cassette` does when it is opened and closed.
        MissingExtraError: vcrpy or PyYAML is not installed.
    """
    settings = CassetteSettings(
        record=record,
        allow_errors=allow_errors,
        note=note,
        max_bytes=max_bytes,
        secret_variables=secret_variables,
        record_command=record_command,
        clock=clock,
    )
    cassette = Cassette(path, settings)
    try:
        yield cassette
    except BaseException as error:
        cassette.close(error)
        raise
    cassette.close()


@contextmanager
def _alone(path: Path) -> Generator[None]:
    # vcrpy patches classes, not clients: of two open cassettes, one would get the requests of both.
    with _lock:
        if _open_paths:
            raise CassetteInUseError(
                f"The cassette {shown(_open_paths[0])!r} is open, so {shown(path)!r} cannot be:"
                " a process plays or records one cassette at a time"
            )
        _open_paths.append(path)
    try:
        yield
    finally:
        _open_paths.remove(path)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__
