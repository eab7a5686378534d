"""The errors of the replay kit."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from memzoo.errors import MemoryZooError, MissingExtraError


class Difference(NamedTuple):
    """The first step (a call of a model or a tool) in which a replay differs from its recording.

    Attributes:
        step: The number of the step, from 1.
        steps: The number of recorded steps.
        how: The kind of difference, such as `"another argument"` or `"one step more"`.
        recorded: The recorded step; "" if the recording has fewer steps.
        asked: The step in the replay; "" if the replay has fewer steps.
        places: The JSON paths at which the two requests differ, if both steps are of the same kind.
    """

    step: int
    steps: int
    how: str
    recorded: str = ""
    asked: str = ""
    places: tuple[str, ...] = ()


class CassetteError(MemoryZooError, RuntimeError):
    """A cassette is missing, damaged, in use or too old, or its recording must not be kept. Nothing was written.

    Attributes:
        is_other_kind: True if the file is sound, but records something other than HTTP.
    """

    is_other_kind = False


class ReplayError(CassetteError, AssertionError):
    """The code under test sent a request for which no recording is left, or did not send all recorded requests.

    Attributes:
        difference: The first step in which the replay differs from its recording; `None` if unknown.
    """

    difference: Difference | None = None


@contextmanager
def replay_extra() -> Generator[None]:
    """Turn an ImportError in the block into an error that tells which extra to install.

    Raises:
        MissingExtraError: A module of the `replay` extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise MissingExtraError.of("Replaying cassettes", "replay") from error
