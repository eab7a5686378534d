"""Reads and writes the files of cassettes."""

import gzip
import os
from pathlib import Path

from memzoo.cassettes.errors import CassetteError
from memzoo.text import private

_GZIP = b"\x1f\x8b"


def as_text(body: bytes | None) -> str | bytes | None:
    """Return a body decoded to a string if it is UTF-8; otherwise return it unchanged."""
    try:
        return body and body.decode()
    except UnicodeDecodeError:
        return body


def read_file(path: Path) -> str:
    """Read the text of a cassette. A file whose name ends in `.gz` is decompressed.

    Raises:
        OSError: The file cannot be read or decompressed.
        EOFError: The compressed file is cut off.
        ValueError: The file is not text.
    """
    content = path.read_bytes()
    if path.suffix != ".gz" and content.startswith(_GZIP):
        raise ValueError("it is compressed, but its name does not end in .gz")
    try:
        return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text: {error}") from error


def shorten_path(path: Path) -> str:
    """Return a path relative to the current directory, if possible."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def check_writable(path: Path) -> None:
    """Check that a cassette can be written, before requests cost money.

    Raises:
        CassetteError: The cassette cannot be written.
    """
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        what = path if path.is_dir() else folder
        why = "is a folder" if what is path else "is not writable" if what.is_dir() else "is a file, not a folder"
        raise CassetteError(
            f"The cassette {shorten_path(path)!r} cannot be written, because {shorten_path(what)!r} {why}; "
            "nothing was sent"
        )


def write_file(path: Path, text: str, *, limit: int | None = None) -> None:
    """Write a cassette completely or not at all.

    Only the owner can read a new file; an existing file keeps its mode.

    Args:
        path: The cassette's file, compressed if its name ends in `.gz`.
        text: The content of the file.
        limit: The maximum size of the file in bytes.

    Raises:
        CassetteError: The file would exceed the limit, or the disk is full or read-only; the file is unchanged.
    """
    # The compressed file has no time of day, so that the same recording gives the same file.
    content = gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode()
    if limit is not None and len(content) > limit:
        raise CassetteError(
            f"The cassette {shorten_path(path)!r} would have {len(content):,} bytes; the limit is {limit:,}, so it was "
            "not written. Record fewer or shorter calls (for embeddings: fewer dimensions), raise max_bytes, or give "
            "it a name that ends in .gz."
        )
    # A complete cassette remains even if two processes record the same file or a process dies meanwhile.
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with open(fresh, "xb", opener=private) as file:
            file.write(content)
        if path.exists():
            fresh.chmod(path.stat().st_mode & 0o777)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise CassetteError(f"The cassette {shorten_path(path)!r} cannot be written: {error}") from error
