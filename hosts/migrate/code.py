"""Moves code from LangChain's memory classes to memzoo's."""

import contextlib
import difflib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.exports.chat_log import reason
from memzoo.hosts.migrate.code_names import CELL_NOT_PYTHON, Finding, mentions_langchain_memory

_SKIPPED = {
    *(".git", ".hg", ".venv", "venv", "node_modules", "site-packages", "__pycache__", "build", "dist"),
    ".ipynb_checkpoints",
}
_READ = (".py", ".ipynb")


@dataclass(frozen=True, slots=True)
class Migrated:
    """The migration of a file.

    Attributes:
        after: The new text, with memzoo's classes.
        findings: The uses of LangChain's memory classes in the file, in order.
        places: The place of each finding: "bot.py:7", "bot.ipynb: cell 2, line 5".
    """

    path: Path
    before: str
    after: str
    encoding: str
    findings: tuple[Finding, ...]
    places: tuple[str, ...]

    @property
    def diff(self) -> str:
        """The changes as a unified diff; "" without changes."""
        before, after = (text.splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, str(self.path), str(self.path)))

    @property
    def left(self) -> list[Finding]:
        """The findings whose code was not rewritten."""
        return [finding for finding in self.findings if finding.reason]


def migrate_code(path: Path, *, without_langchain: bool = False) -> Migrated:
    """Return the migration of a Python file or a notebook, without writing it.

    With `without_langchain`, `ConversationChain` is rewritten too.

    Raises:
        MissingExtraError: libcst is not installed.
        TransferError: The file is not readable Python, or not a readable notebook.
    """
    try:
        import libcst
    except ImportError as error:
        raise MissingExtraError.of("memzoo migrate", "migrate") from error
    from memzoo.hosts.migrate.code_rewrite import rewrite_module
    from memzoo.hosts.migrate.notebook import Notebook

    if not mentions_langchain_memory(content := contents(path)):
        return leave_unchanged(path)
    try:
        notebook = Notebook(content.decode()) if path.suffix == ".ipynb" else None
        module = libcst.parse_module(notebook.code if notebook else content)
        after, findings = rewrite_module(module, without_langchain=without_langchain)
    except Exception as error:
        # The file is not Python, has an unknown encoding, or is nested too deeply.
        raise TransferError(f"{path} cannot be read as Python: {reason(error)}") from error
    if notebook:
        findings = tuple(
            sorted([*findings, *(Finding(line, "this cell", *CELL_NOT_PYTHON) for line in notebook.unparsed_cells())])
        )
        places = tuple(f"{path}: {notebook.place(one.line)}" for one in findings)
        return Migrated(path, notebook.text, notebook.with_code(after), "utf-8", findings, places)
    places = tuple(f"{path}:{one.line}" for one in findings)
    return Migrated(path, module.code, after, module.encoding, findings, places)


def contents(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        TransferError: The file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise TransferError(f"{path} cannot be read: {error.strerror}") from error


def leave_unchanged(path: Path) -> Migrated:
    """Return the migration of a file that does not use LangChain's memory."""
    return Migrated(path, "", "", "utf-8", (), ())


def python_files(
    path: Path, on_error: Callable[[TransferError], None], on_left: Callable[[str], None]
) -> Iterator[Path]:
    """Yield the Python files and notebooks at or below a path, in order, without installed packages.

    Args:
        path: A file, or a folder.
        on_error: A function that is called for each folder that cannot be listed.
        on_left: A function that is called for each file that is skipped, such as a broken link. Its argument is a text
            with the path and the reason.

    Raises:
        TransferError: There is no file or folder at that path.
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
                if why := _find_obstacle(found, path):
                    on_left(f"{found} {why}")
                elif name not in folders and not (found.is_symlink() and _is_walked(found.resolve(), path)):
                    yield found


def _find_obstacle(found: Path, root: Path) -> str:
    """Return the reason to report why a path in a folder is not read; "" if there is nothing to report."""
    try:
        target = found.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError for a circle of links
        return "is a broken link"
    if not target.is_relative_to(root.resolve()):
        return f"is a link to a place outside the folder, {target}"
    if target.is_dir():
        return "" if found.is_symlink() else "is a folder, not a file; the files in it are read"
    return "" if target.is_file() else "is no file"


def _is_walked(target: Path, root: Path) -> bool:
    """Return whether a link's target, which is below the root, is read anyway."""
    return target.suffix in _READ and not _SKIPPED.intersection(target.relative_to(root.resolve()).parts)


def write(migrated: Migrated) -> None:
    """Write the new text to the file, which keeps its mode. If the path is a symbolic link, its target is written.

    Raises:
        TransferError: The file cannot be written, or has changed since it was read; the file was not changed.
    """
    path = migrated.path.resolve()
    beside = path.with_name(f".{path.name}.memzoo")
    if contents(path) != migrated.before.encode(migrated.encoding):
        raise TransferError(f"{migrated.path} has changed since it was read; it was left alone")
    try:
        # A killed run may have left this file. If somebody put a link here, the link must not be followed.
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
