"""Where conversations and results lie: on this machine, or wherever fsspec reaches by a URL."""

import importlib
from pathlib import Path
from typing import Any

from memzoo.errors import MissingExtraError, OptionError

__all__ = ["is_remote", "path_of"]


def path_of(place: str | Path) -> Path:
    """Return a path: of this machine, or for a URL such as `s3://bucket/chats`, one that reads and writes there.

    Raises:
        MissingExtraError: It is a URL, and its package is not installed.
        OptionError: No package reaches such a URL; or the text is empty.
    """
    if place == "":
        raise OptionError("a place must be a file, a folder or a URL, not ''")
    if not isinstance(place, str) or "://" not in place:
        return Path(place)
    try:
        upath: Any = importlib.import_module("upath")
    except ImportError as error:
        raise MissingExtraError.of(f"{place}: a URL as a place for files", "fsspec") from error
    try:
        found: Any = upath.UPath(place)
        found.fs  # noqa: B018 - here it is seen whether what reaches it is installed
    except ImportError as error:
        # fsspec says which package it is: s3fs, gcsfs, adlfs, ...
        raise MissingExtraError(f"{place} cannot be reached: {error}") from error
    except ValueError as error:
        raise OptionError(f"{place} cannot be reached: {error}") from error
    return Path(found.path) if found.protocol == "file" else found


def is_remote(path: Path) -> bool:
    """True if a path lies elsewhere."""
    return not isinstance(path, Path)  # pyright: ignore[reportUnnecessaryIsInstance] - it only looks like one
