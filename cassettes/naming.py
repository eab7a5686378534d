"""Which file belongs to which test."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import PurePath

__all__ = ["cassette_name"]

_LONGEST = 120
_UNSAFE = re.compile(r"[^\w.,=+@()\[\] -]")


def cassette_name(module: PurePath, names: Sequence[str], *, tests: str = "tests") -> PurePath:
    """The file of a test's cassette, below the folder of all cassettes.

    Args:
        module: The file of the test, relative to the project.
        names: The classes around the test, if any, and the test with its parameters.
        tests: The folder of the tests, which is left out.

    Example:
        >>> cassette_name(PurePath("tests/memories/test_summary.py"), ["test_x[sync]"]).as_posix()
        'memories/test_summary/test_x[sync].yaml'
    """
    below = module.relative_to(tests) if module.is_relative_to(tests) else module
    folders = [_safe(part) for part in below.with_suffix("").parts if part != below.anchor]
    return PurePath(*folders, _safe(".".join(names)) + ".yaml")


def _safe(name: str) -> str:
    """The name as file systems take it; where something had to go, a digest keeps it distinct."""
    safe = _UNSAFE.sub("_", name)[:_LONGEST]
    if safe == name and name.strip(" .") == name:
        return name
    return f"{safe.strip(' .')}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"
