"""Opening and closing a cassette."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path

from memzoo.cassettes import reporting
from memzoo.cassettes.errors import (
    CassetteInUseError,
    MissingCassetteError,
    RecordingError,
    UnplayedInteractionError,
)
from memzoo.cassettes.facts import Facts, facts_of
from memzoo.cassettes.keys import Keys, secrets_in_environment
from memzoo.cassettes.optional import optional
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.serializing import ReadableSerializer
from memzoo.cassettes.settings import MAX_BYTES, CassetteSettings, Record
from memzoo.cassettes.tape import Tape, TapeRules, insert_tape
from memzoo.stores.base import utc_now

__all__ = ["Cassette", "use_cassette"]

_lock = threading.Lock()
_open_paths: list[Path] = []


class Cassette:
    """An open cassette: until it is closed, every HTTP client of this process plays from it or records to it.

    Attributes:
        path: Its file.
        recording: True if requests are sent and recorded, false if they are answered from the file.
        facts: What a finished recording tells: models and tokens.
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
            MissingExtraError: vcrpy is not installed.
        """
        self.path = Path(path)
        self.facts = Facts()
        self._settings = settings or CassetteSettings()
        exists = self.path.is_file()
        self.recording = self._settings.record == "all" or (self._settings.record == "once" and not exists)
        if not self.recording and not exists:
            raise MissingCassetteError(reporting.missing(self.path, self._settings.hint))
        self._patches = ExitStack()
        self._tape = self._inserted()

    def close(self, failure: BaseException | None = None) -> None:
        """Stop playing or recording, and hold the code under test to the recording.

        Args:
            failure: What the code under test raised; then a recording is dropped and nothing need be played.

        Raises:
            UnmatchedRequestError: A request had no recording; even if the code under test swallowed that.
            UnplayedInteractionError: A recorded request was not sent.
            RecordingError: What was recorded must not be kept.
        """
        self._patches.close()
        self._raise_noted(failure)
        if failure is not None:
            return
        if self.recording:
            self._save()
        elif self._tape.unplayed:
            message = reporting.unplayed(self._tape.keys, self._tape.unplayed, self.path, self._settings.hint)
            raise UnplayedInteractionError(message)

    def _inserted(self) -> Tape:
        keys = Keys(secrets_in_environment(self._settings.secret_variables))
        rules = TapeRules(
            path=self.path,
            recording=self.recording,
            allow_errors=self._settings.allow_errors,
            scrubber=Scrubber(keys),
            hint=self._settings.hint,
        )
        with ExitStack() as patches:
            patches.enter_context(_alone(self.path))
            tape = patches.enter_context(insert_tape(rules))
            self._patches = patches.pop_all()
        return tape

    def _raise_noted(self, failure: BaseException | None) -> None:
        noted = self._tape.noted
        if not noted or any(known in noted for known in _chain(failure)):
            return
        for other in noted[1:]:
            noted[0].add_note(f"And then:\n{other}")
        raise noted[0]

    def _save(self) -> None:
        requests, responses = [item[0] for item in self._tape.data], [item[1] for item in self._tape.data]
        self.facts = facts_of(responses)
        serializer = ReadableSerializer(clock=self._settings.clock, note=self._settings.note)
        text = optional("vcr.serialize").serialize({"requests": requests, "responses": responses}, serializer).encode()
        if len(text) > self._settings.max_bytes:
            raise RecordingError(reporting.too_large(self.path, len(text), self._settings.max_bytes))
        self.path.parent.mkdir(parents=True, exist_ok=True)
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
        record: `"none"` only replays and opens no socket, `"once"` records if the file is missing,
            `"all"` records anew. Nothing is written if the block raises.
        allow_errors: Record responses with a status of 400 and above, too.
        note: A line for the cassette's header.
        max_bytes: The size in bytes that a recording may have.
        secret_variables: Names of further environment variables whose values are scrubbed.
        record_command: The command that records the cassette again, for failure messages.
        clock: Tells the date of the recording.

    Yields:
        The open cassette.

    Raises:
        MissingCassetteError: There is no such file, and recording is off.
        CassetteFormatError: The file is not a cassette.
        CassetteInUseError: Another cassette is open.
        UnmatchedRequestError: A request had no recording; even if the block swallowed that.
        UnplayedInteractionError: A recorded request was not sent.
        RecordingError: What was recorded must not be kept.
        MissingExtraError: vcrpy is not installed.
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
    # vcrpy patches classes, not clients: with two open cassettes one gets the requests of both.
    with _lock:
        if _open_paths:
            raise CassetteInUseError(
                f"The cassette {reporting.shown(_open_paths[0])!r} is open, so {reporting.shown(path)!r} cannot be:"
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
