"""Reads and writes the files of cassettes."""

import gzip
import os
from pathlib import Path

from memzoo.cassettes.errors import RecordingError

__all__ = ["check_writable", "read_file", "shown", "write_file"]

_OWNER_ONLY = 0o600


def read_file(path: Path) -> str:
    """Read a cassette's text, from a compressed file if its name ends in `.gz`.

    Raises:
        OSError: The file cannot be read or decompressed.
        EOFError: It is compressed, and cut off.
        UnicodeDecodeError: It is no text.
    """
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def shown(path: Path) -> str:
    """Write a path relative to the current directory where that is possible."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def check_writable(path: Path) -> None:
    """Find out whether a cassette could be written, before anything is asked that costs money.

    Raises:
        RecordingError: It could not.
    """
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        what = path if path.is_dir() else folder
        raise RecordingError(
            f"The cassette {shown(path)!r} cannot be written, because of {shown(what)!r}; nothing was sent"
        )


def write_file(path: Path, text: str, *, limit: int) -> int:
    """Write a cassette whole or not at all, readable by its owner only; a file that exists keeps its mode.

    Returns:
        How many bytes it has, compressed if its name ends in `.gz`; above the limit, nothing was written.

    Raises:
        RecordingError: The disk is full or read-only; the file is as it was.
    """
    # Without the time of day, the same recording is the same file.
    content = gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode()
    if len(content) <= limit:
        # Two processes that record the same file, and one that dies meanwhile, leave a whole cassette.
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            _replace(path, fresh, content)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise RecordingError(f"The cassette {shown(path)!r} cannot be written: {error}") from error
    return len(content)


def _replace(path: Path, fresh: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else _OWNER_ONLY
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(content)
    fresh.chmod(mode)
    fresh.replace(path)
