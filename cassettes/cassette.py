"""Opens and closes cassettes."""

import stat
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import date
from functools import partial, wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Unpack, cast

from memzoo.cassettes.callers import attach_player
from memzoo.cassettes.conversation import Statistics, statistics_of
from memzoo.cassettes.errors import (
    CassetteError,
    Difference,
    ReplayError,
    replay_extra,
)
from memzoo.cassettes.files import check_writable, shorten_path
from memzoo.cassettes.functions import make_function
from memzoo.cassettes.http import TOOL, Recorded
from memzoo.cassettes.matching import report_unplayed
from memzoo.cassettes.player import Player
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.secrets import PLACEHOLDER, secrets_in_environment
from memzoo.cassettes.settings import CassetteOptions, CassetteSettings
from memzoo.cassettes.steps import find_step
from memzoo.cassettes.tools import read_outcome
from memzoo.errors import MemoryZooWarning, OptionError

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Cassette:
    """An open cassette, for the thread or task that opened it, and for all threads and tasks started from there.

    Attributes:
        path: The cassette's file.
        recording: True if requests are sent and recorded; false if they are answered from the file.
        player: The player, which answers or records requests.
        statistics: The models and tokens of a finished recording.
    """

    def __init__(
        self, path: str | PathLike[str], settings: CassetteSettings | None = None, *, clients: bool = True
    ) -> None:
        """Open a cassette.

        Args:
            path: The cassette's file, compressed if its name ends in `.gz`.
            settings: The settings for recording and replaying; by default, the cassette is only replayed.
            clients: True to answer the HTTP clients of this process. If false, only recorded tools and code that calls
                `player` use the cassette.

        Raises:
            OptionError: The path is invalid.
            CassetteError: The file does not exist, and recording is off.
            CassetteError: The file is not a cassette, is too old, or cannot be written.
            CassetteError: The same file is open already, and one of the two cassettes is recording.
            MissingExtraError: vcrpy or PyYAML is not installed.
        """
        try:
            self.path = Path(path)
            mode = self.path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            mode = 0
        except (OSError, TypeError, ValueError) as error:
            raise OptionError(f"path={path!r} is not the path of a file: {error}") from error
        exists, folder = stat.S_ISREG(mode), stat.S_ISDIR(mode)
        self.statistics = Statistics()
        self._settings = settings or CassetteSettings()
        self.recording = self._settings.record == "all" or (self._settings.record == "once" and not exists)
        if not self.recording and not exists:
            shown = shorten_path(self.path)
            what = f"{shown!r} is a folder" if folder else f"There is no cassette {shown!r}"
            raise CassetteError(f"{what}, and recording is off.\n{self._settings.hint}")
        self._target = Path(self._settings.into) if self._settings.into else self.path
        if self._settings.into and self._target.resolve() == self.path.resolve():
            raise OptionError(f"into={self._settings.into!r} is the cassette itself; name another file")
        self.recording = self.recording or self._settings.live_from is not None
        if self.recording:
            check_writable(self._target)
        with replay_extra():
            from memzoo.cassettes.interception import intercept
        self.player = self._open_player()
        self._patches = ExitStack()
        self._patches.enter_context(intercept(self.player) if clients else attach_player(self.player))

    def close(self, failure: BaseException | None = None) -> None:
        """Stop playing or recording, and check that all recorded requests were sent.

        Args:
            failure: The exception of the code under test, if it failed. Nothing is then written, and recorded requests
                that were not sent raise no error.

        Raises:
            ReplayError: A recorded request was not sent.
            ReplayError: The code under test swallowed the error about a request without a recording.
            CassetteError: The recording must not be kept; the message says why.
        """
        self._patches.close()
        # An interruption or a skipped test does not mean that a request failed.
        if self.recording and isinstance(failure, Exception | None):
            self.player.end()
        self._raise_swallowed(failure)
        if failure is not None:
            return
        if self.player.unplayed:
            with self.player.note_errors():
                raise report_unplayed(self.player.keys, self.player.unplayed, self.path, self._settings.hint)
        if self.recording:
            self._save()

    def model(self, model: Any) -> Any:
        """Return a function that replies from this cassette, or asks the model and records its reply.

        The function records messages and replies instead of HTTP requests, so the recording does not depend on the
        client, its version or its transport.

        Args:
            model: A function (sync or async) that takes messages and returns text, or a `ChatModel`.

        Returns:
            A function that takes messages and returns text, for example for `create_memory(llm=...)`.
        """
        return make_function(self.player, model)

    @property
    def difference(self) -> Difference | None:
        """The first step so far in which the replay differed from the recording; `None` without a difference."""
        errors = (one for one in self.player.errors if isinstance(one, ReplayError))
        return next((one.difference for one in errors if one.difference), None)

    def error_of(self, error: BaseException | None) -> CassetteError | None:
        """Return the cassette's error (such as a missing recording) that caused `error`; `None` for other causes."""
        return next((one for known in _causes(error) for one in self.player.errors if one is known), None)

    def _open_player(self) -> Player:
        scrubber = Scrubber(secrets_in_environment(self._settings.secret_variables))
        player = partial(Player, scrubber=scrubber, path=self.path, settings=self._settings)
        if self.recording and self._settings.live_from is None:
            return player(None)
        from memzoo.cassettes.format import read_cassette

        try:
            head, recordings, _ = read_cassette(self.path)
        except CassetteError as error:
            hint = "" if error.is_other_kind else f"\n{self._settings.hint}"
            raise CassetteError(f"{error}{hint}") from error
        self._check_age(str(head.get("recorded", "")))
        if head.get("recorder") == "vcrpy":
            # A cassette of vcrpy may have secrets, and has headers of the transport.
            recordings = player(recordings).list_recordings()
        self._warn_of_hidden_keys(recordings)
        live = None
        if self._settings.live_from is not None:
            number = find_step(recordings, self._settings.live_from)
            recordings, live = recordings[: number - 1], recordings[number - 1 :]
        return player(recordings, counts=head.get("counts"), in_order=head.get("in_order") is True, live=live)

    def _warn_of_hidden_keys(self, recordings: Iterable[Recorded]) -> None:
        lines = [f"  {number}. {what}" for number, one in enumerate(recordings, 1) for what in sorted(one.hidden)]
        if lines:
            title = f"The cassette {shorten_path(self.path)!r} has {PLACEHOLDER} in place of keys in its answers:"
            warnings.warn("\n".join([title, *lines]), MemoryZooWarning, stacklevel=2)

    def _check_age(self, recorded: str) -> None:
        settings = self._settings
        if settings.max_age is None:
            return
        try:
            days = (settings.clock().date() - date.fromisoformat(recorded)).days
        except ValueError as error:
            raise CassetteError(f"{shorten_path(self.path)}: recorded: {recorded!r} is not a date") from error
        if days > settings.max_age:
            shown = shorten_path(self.path)
            message = f"The cassette {shown!r} is {days} days old; max_age is {settings.max_age}.\n{settings.hint}"
            if settings.stale == "fail":
                raise CassetteError(message)
            warnings.warn(message, MemoryZooWarning, stacklevel=2)

    def _raise_swallowed(self, failure: BaseException | None) -> None:
        """Raise a player's error that the code under test swallowed."""
        noted = self.player.errors
        if not noted or self.error_of(failure):
            return
        for other in noted[1:]:
            noted[0].add_note(f"And then:\n{other}")
        raise noted[0]

    def _save(self) -> None:
        from memzoo.cassettes.format import write_cassette

        recordings, settings = self.player.list_recordings(), self._settings
        for one in recordings:
            if one.hidden and one.request.method == TOOL:
                try:
                    read_outcome(one)
                except CassetteError as error:
                    raise CassetteError(
                        f"{error}: it contains a key ({', '.join(sorted(one.hidden))}), and only in strings can"
                        f" {PLACEHOLDER} replace one; nothing was written to {shorten_path(self._target)}"
                    ) from error
        self.statistics = statistics_of(one.response for one in recordings)
        today = settings.clock().date().isoformat()
        head = {
            "recorded": today,
            "note": settings.note,
            "ignored": list(settings.ignored.shown),
            "in_order": self.player.in_order,
            "counts": self.player.list_counts(),
        }
        write_cassette(self._target, recordings, head, limit=settings.max_bytes)
        self._warn_of_hidden_keys(recordings)


class Opening:
    """A context manager and decorator that opens a cassette for a block, or for each call of a function."""

    def __init__(self, path: str | PathLike[str], settings: CassetteSettings) -> None:
        """Store the arguments of `use_cassette`."""
        self._path = path
        self._settings = settings
        self._open: list[Cassette] = []

    def __enter__(self) -> Cassette:
        """Open the cassette."""
        self._open.append(Cassette(self._path, self._settings))
        return self._open[-1]

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the cassette, and check that the recorded requests were sent."""
        self._open.pop().close(error)

    async def __aenter__(self) -> Cassette:
        """Open the cassette."""
        return self.__enter__()

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the cassette, and check that the recorded requests were sent."""
        self.__exit__(kind, error, trace)

    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]:
        """Decorate a function, asynchronous or not.

        Raises:
            OptionError: The function is a generator, whose body would run only after the cassette is closed.
        """
        if isgeneratorfunction(function) or isasyncgenfunction(function):
            raise OptionError(
                f"use_cassette cannot decorate the generator {function.__name__!r}: open the cassette inside it"
            )

        @wraps(function)
        def call(*args: _P.args, **options: _P.kwargs) -> _R:
            with Opening(self._path, self._settings):
                return function(*args, **options)

        @wraps(function)
        async def acall(*args: _P.args, **options: _P.kwargs) -> Any:
            with Opening(self._path, self._settings):
                return await cast("Awaitable[Any]", function(*args, **options))

        return cast("Callable[_P, _R]", acall) if iscoroutinefunction(function) else call


def use_cassette(path: str | PathLike[str], **settings: Unpack[CassetteOptions]) -> Opening:
    """Replay or record the HTTP requests of a `with` block, or of a decorated function.

    Nothing is written if the block or function raises an error.

    Args:
        path: The file of the cassette.
        **settings: The options of `CassetteSettings`; for example, `record="once"` records if the file is missing.

    Returns:
        A context manager and decorator. `with` yields the open `Cassette`. Entering and leaving may raise the
        cassette's errors.

    Raises:
        OptionError: A setting is unknown or invalid.
    """
    return Opening(path, CassetteSettings.of("use_cassette", settings))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__
