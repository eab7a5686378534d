"""Packages that are installed for the numbers in them; none of their code is run."""

import importlib.util
from pathlib import Path

from memzoo.stores.errors import MissingExtraError

__all__ = ["folder_of"]


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
