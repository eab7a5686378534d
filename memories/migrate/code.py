"""Moves code from LangChain's memory classes to memzoo's."""

import difflib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memzoo.stores.errors import MissingExtraError, TransferError

__all__ = ["Finding", "Migrated", "migrate_code", "python_files", "write"]

_SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "site-packages", "__pycache__", "build", "dist"}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A place in a file where a name of LangChain's memory is used.

    Attributes:
        line: Its line, from 1.
        name: What is used.
        reason: Why it was left as it is; "" if it was rewritten.
        advice: What to write instead, or what else there is to do; "" for nothing.
    """

    line: int
    name: str
    reason: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Migrated:
    """A file, before and after.

    Attributes:
        path: The file.
        before: Its text.
        after: Its text with memzoo's classes.
        encoding: That of the file.
        findings: The calls of LangChain's classes in it, and what stands in the way elsewhere, by line.
    """

    path: Path
    before: str
    after: str
    encoding: str
    findings: tuple[Finding, ...]

    @property
    def diff(self) -> str:
        """What changes, as a unified diff; "" for nothing."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, str(self.path), str(self.path)))

    @property
    def left(self) -> list[Finding]:
        """What was not rewritten."""
        return [finding for finding in self.findings if finding.reason]


def migrate_code(path: Path) -> Migrated:
    """Work out what a Python file becomes; nothing is written.

    Raises:
        MissingExtraError: libcst is not installed.
        TransferError: The file is no Python that can be read.
    """
    try:
        import libcst
    except ImportError as error:
        raise MissingExtraError.of("memzoo migrate", "migrate") from error
    from memzoo.memories.migrate.code_rewrite import rewritten

    content = path.read_bytes()
    if b"langchain" not in content:
        return Migrated(path, "", "", "utf-8", ())
    try:
        module = libcst.parse_module(content)
    except (libcst.ParserSyntaxError, UnicodeDecodeError) as error:
        raise TransferError(f"{path} cannot be read as Python: {error}") from error
    after, findings = rewritten(module)
    return Migrated(path, module.code, after, module.encoding, findings)


def python_files(path: Path) -> Iterator[Path]:
    """The Python files at or below a path, in order; not those of installed packages.

    Raises:
        TransferError: There is nothing at that path.
    """
    if not path.exists():
        raise TransferError(f"there is no file or folder {str(path)!r}")
    if path.is_file():
        yield path
        return
    for found in sorted(path.rglob("*.py")):
        if not _SKIPPED.intersection(found.relative_to(path).parts):
            yield found


def write(migrated: Migrated) -> None:
    """Put the new text in place of the old one, which is gone only when the new one is on disk."""
    path = migrated.path.resolve()
    beside = path.with_name(f".{path.name}.memzoo")
    beside.write_bytes(migrated.after.encode(migrated.encoding))
    shutil.copymode(path, beside)
    beside.replace(path)
