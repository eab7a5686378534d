"""Moves code from LangChain's memory classes to memzoo's."""

import contextlib
import difflib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.migrate.chat_log import reason
from memzoo.hosts.migrate.code_names import NO_PYTHON, Finding, is_named_in

__all__ = ["Finding", "Migrated", "contents", "leave_unchanged", "migrate_code", "python_files", "write"]

_SKIPPED = {
    *(".git", ".hg", ".venv", "venv", "node_modules", "site-packages", "__pycache__", "build", "dist"),
    ".ipynb_checkpoints",
}
_READ = (".py", ".ipynb")


@dataclass(frozen=True, slots=True)
class Migrated:
    """A file, before and after.

    Attributes:
        path: The file.
        before: Its text.
        after: Its text with memzoo's classes.
        encoding: That of the file.
        findings: The calls of LangChain's classes in it, and what stands in the way elsewhere, by line.
        places: Where the findings stand: "bot.py:7", "bot.ipynb: cell 2, line 5".
    """

    path: Path
    before: str
    after: str
    encoding: str
    findings: tuple[Finding, ...]
    places: tuple[str, ...]

    @property
    def diff(self) -> str:
        """What changes, as a unified diff; "" for nothing."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, str(self.path), str(self.path)))

    @property
    def left(self) -> list[Finding]:
        """What was not rewritten."""
        return [finding for finding in self.findings if finding.reason]


def migrate_code(path: Path, *, without_langchain: bool = False) -> Migrated:
    """Work out what a Python file or a notebook becomes; nothing is written.

    Args:
        path: The file.
        without_langchain: Rewrite `ConversationChain` too, which could stay: it takes memzoo's memories.

    Raises:
        MissingExtraError: libcst is not installed.
        TransferError: The file is no Python, or no notebook, that can be read.
    """
    try:
        import libcst
    except ImportError as error:
        raise MissingExtraError.of("memzoo migrate", "migrate") from error
    from memzoo.hosts.migrate.code_rewrite import rewrite_module
    from memzoo.hosts.migrate.notebook import Notebook

    if not is_named_in(content := contents(path)):
        return leave_unchanged(path)
    try:
        notebook = Notebook(content.decode()) if path.suffix == ".ipynb" else None
        module = libcst.parse_module(notebook.code if notebook else content)
        after, findings = rewrite_module(module, without_langchain=without_langchain)
    except Exception as error:
        # Of what is no Python, or is in no coding that there is, or is nested too deeply.
        raise TransferError(f"{path} cannot be read as Python: {reason(error)}") from error
    if notebook:
        findings = tuple(
            sorted([*findings, *(Finding(line, "this cell", *NO_PYTHON) for line in notebook.list_left())])
        )
        places = tuple(f"{path}: {notebook.place(one.line)}" for one in findings)
        return Migrated(path, notebook.text, notebook.with_code(after), "utf-8", findings, places)
    places = tuple(f"{path}:{one.line}" for one in findings)
    return Migrated(path, module.code, after, module.encoding, findings, places)


def contents(path: Path) -> bytes:
    """What a file holds.

    Raises:
        TransferError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise TransferError(f"{path} cannot be read: {error.strerror}") from error


def leave_unchanged(path: Path) -> Migrated:
    """What becomes of a file that has nothing to do with LangChain's memory."""
    return Migrated(path, "", "", "utf-8", (), ())


def python_files(
    path: Path, on_error: Callable[[TransferError], None], on_left: Callable[[str], None]
) -> Iterator[Path]:
    """The Python files and notebooks at or below a path, in order; not those of installed packages.

    Args:
        path: A file, or a folder.
        on_error: Told of folders that may not be listed.
        on_left: Told of what is called like one and is none, and why: links out of the folder or to nowhere, pipes,
            folders.

    Raises:
        TransferError: There is no file and no folder at that path.
    """
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise TransferError(f"there is no file or folder {str(path)!r}")

    def report_unlisted(error: OSError) -> None:
        on_error(TransferError(f"{error.filename} cannot be listed: {error.strerror}"))

    for folder, folders, names in os.walk(path, onerror=report_unlisted):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names + folders):
            found = Path(folder, name)
            if name.endswith(_READ) or (name in folders and found.is_symlink()):
                if why := _why_not(found, path):
                    on_left(f"{found} {why}")
                elif name not in folders and not (found.is_symlink() and _is_found(found.resolve(), path)):
                    yield found


def _why_not(found: Path, root: Path) -> str:
    """Why something in a folder is no file to be read; "" if it may be one."""
    try:
        target = found.resolve(strict=True)
    except (OSError, RuntimeError):  # the latter of links that lead to each other
        return "is a link that leads nowhere"
    if not target.is_relative_to(root.resolve()):
        return f"is a link out of the folder, to {target}"
    if target.is_dir():
        return "" if found.is_symlink() else "is a folder, not a file; what is in it is read"
    return "" if target.is_file() else "is no file"


def _is_found(target: Path, root: Path) -> bool:
    """Whether a file that a link leads to is read by itself."""
    return target.suffix in _READ and not _SKIPPED.intersection(target.relative_to(root.resolve()).parts)


def write(migrated: Migrated) -> None:
    """Put the new text in place of the old one, which is gone only when the new one is on disk.

    Mode and links stay.

    Raises:
        TransferError: The file cannot be written, or has changed since it was read; it is as it was.
    """
    path = migrated.path.resolve()
    beside = path.with_name(f".{path.name}.memzoo")
    if contents(path) != migrated.before.encode(migrated.encoding):
        raise TransferError(f"{migrated.path} has changed since it was read; it was left alone")
    try:
        # What a killed run left behind; a link of somebody else's there is not followed.
        beside.unlink(missing_ok=True)
        with beside.open("xb") as file:
            file.write(migrated.after.encode(migrated.encoding))
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, beside)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise TransferError(f"{migrated.path} cannot be written: {error.strerror}") from error
