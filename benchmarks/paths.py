"""Paths of conversations and results: local paths, or URLs that fsspec can open."""

import importlib
from pathlib import Path
from typing import Any

from memzoo.errors import MissingExtraError, OptionError


def path_of(place: str | Path) -> Path:
    """Return a path object for a local path, or for a URL such as `s3://bucket/chats`.

    Raises:
        MissingExtraError: A package that opens the URL is not installed.
        OptionError: No package opens such a URL, or the text is empty.
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
        found.fs  # noqa: B018 - raises ImportError if the package for this kind of URL is not installed
    except ImportError as error:
        # The error of fsspec names the missing package: s3fs, gcsfs, adlfs, ...
        raise MissingExtraError(f"{place} cannot be reached: {error}") from error
    except ValueError as error:
        raise OptionError(f"{place} cannot be reached: {error}") from error
    return Path(found.path) if found.protocol == "file" else found


def is_remote(path: Path) -> bool:
    """Return True if a path leads to another machine."""
    return not isinstance(path, Path)  # pyright: ignore[reportUnnecessaryIsInstance] - a UPath is no pathlib.Path
