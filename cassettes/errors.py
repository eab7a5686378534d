"""What can go wrong with a cassette.

::

    CassetteError (MemoryZooError)
    ├── MissingCassetteError (FileNotFoundError)
    ├── CassetteFormatError (ValueError)
    ├── CassetteInUseError (RuntimeError)
    ├── UnmatchedRequestError (LookupError)
    ├── UnplayedInteractionError (AssertionError)
    └── RecordingError (RuntimeError)
"""

from memzoo.stores.errors import MemoryZooError

__all__ = [
    "CassetteError",
    "CassetteFormatError",
    "CassetteInUseError",
    "MissingCassetteError",
    "RecordingError",
    "UnmatchedRequestError",
    "UnplayedInteractionError",
]


class CassetteError(MemoryZooError):
    """The root of the replay kit's errors."""


class MissingCassetteError(CassetteError, FileNotFoundError):
    """Recording is off and there is no cassette to replay."""


class CassetteFormatError(CassetteError, ValueError):
    """The file is not a cassette, or was damaged by an edit."""


class CassetteInUseError(CassetteError, RuntimeError):
    """A cassette is open already; a process plays or records one at a time."""


class UnmatchedRequestError(CassetteError, LookupError):
    """The code under test sent a request that has no recording left to answer it."""


class UnplayedInteractionError(CassetteError, AssertionError):
    """The code under test no longer sends all the requests that were recorded."""


class RecordingError(CassetteError, RuntimeError):
    """What came back must not become a cassette; nothing was written."""
