"""The errors of the replay kit."""

from collections.abc import Generator
from contextlib import contextmanager

from memzoo.errors import MemoryZooError, MissingExtraError

__all__ = [
    "CassetteError",
    "CassetteFormatError",
    "CassetteInUseError",
    "HiddenKeyWarning",
    "MissingCassetteError",
    "RecordingError",
    "StaleCassetteError",
    "StaleCassetteWarning",
    "UnmatchedRequestError",
    "UnplayedInteractionError",
    "replay_extra",
]


class CassetteError(MemoryZooError):
    """The root of the replay kit's errors."""


class MissingCassetteError(CassetteError, FileNotFoundError):
    """Recording is off and there is no cassette to replay."""


class CassetteFormatError(CassetteError, ValueError):
    """The file is not a cassette, or an edit has damaged it.

    Attributes:
        is_other_kind: True for a recording of something other than HTTP; recording it here would not help.
    """

    is_other_kind = False


class CassetteInUseError(CassetteError, RuntimeError):
    """The file is being recorded already, or it is unclear to which of several open cassettes a request belongs."""


class StaleCassetteError(CassetteError, AssertionError):
    """The recording is too old."""


class StaleCassetteWarning(UserWarning):
    """The recording is older than it should be."""


class HiddenKeyWarning(UserWarning):
    """An answer contained a key: a replay gives the program a placeholder instead of the key."""


class UnmatchedRequestError(CassetteError, LookupError):
    """The code under test sent a request, and no recording is left to answer it."""


class UnplayedInteractionError(CassetteError, AssertionError):
    """The code under test no longer sends all the recorded requests."""


class RecordingError(CassetteError, RuntimeError):
    """The recording may not be kept; nothing was written."""


@contextmanager
def replay_extra() -> Generator[None]:
    """Import modules of the `replay` extra.

    Raises:
        MissingExtraError: One of them is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtraError.of("Replaying cassettes", "replay") from error
