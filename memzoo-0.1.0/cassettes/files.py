"""Reads and writes the files of cassettes."""

import gzip
import os
from pathlib import Path

__all__ = ["read_file", "write_file"]

_OWNER_ONLY = 0o600


def read_file(path: Path) -> str:
    """Read a cassette's text, from a compressed file if its name ends in `.gz`.

    Raises:
        OSError: The file cannot be read or decompressed.
        UnicodeDecodeError: It is no text.
    """
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def write_file(path: Path, text: str, *, limit: int) -> int:
    """Write a cassette whole or not at all, readable by its owner only; a file that exists keeps its mode.

    Args:
        path: The file; compressed if its name ends in `.gz`.
        text: What to write.
        limit: The most bytes that it may have.

    Returns:
        How many bytes it has; if that is more than the limit, nothing was written.
    """
    # Without the time of day, the same recording is the same file.
    content = gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode()
    if len(content) > limit:
        return len(content)
    _replace(path, content)
    return len(content)


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else _OWNER_ONLY
    # A process that dies while it writes must not leave half a cassette.
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(content)
    fresh.chmod(mode)
    fresh.replace(path)
