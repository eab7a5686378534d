"""Packages that are measured with: libraries to run, and the numbers in others, whose code is not run."""

import importlib
import importlib.util
import warnings
from pathlib import Path
from typing import Any

from memzoo.errors import MissingExtraError

__all__ = ["folder_of", "library"]


def library(module: str, package: str) -> Any:
    """Import a module of a library that is measured beside memzoo.

    Raises:
        MissingExtraError: The package, or one that it needs, is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one announces its end
            return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{package} is not installed with all it needs: {error}") from error


def folder_of(package: str, *, needed_by: str, install: str) -> Path:
    """Find the folder of a package, and see that what reads its numbers is there too.

    Args:
        package: Its name when it is imported; it is found, not imported.
        needed_by: What is measured with it, for the error.
        install: The command that installs all of it, for the error.

    Raises:
        MissingExtraError: A package that is needed is not installed.
    """
    needed = {name: importlib.util.find_spec(name) for name in (package, "safetensors", "tokenizers")}
    found = needed[package]
    if not all(needed.values()) or found is None or found.origin is None:
        missing = ", ".join(name for name, spec in needed.items() if spec is None)
        raise MissingExtraError(f"{needed_by} needs {missing}, which is not installed: {install}")
    return Path(found.origin).parent
