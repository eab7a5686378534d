"""The command that moves code from LangChain's memory classes to memzoo's."""

from pathlib import Path
from typing import Annotated

import typer

from memzoo.cli.options import command, counted
from memzoo.cli.terminal import echo
from memzoo.errors import TransferError
from memzoo.hosts.migrate.apart import Apart
from memzoo.hosts.migrate.code import Migrated, python_files, write

__all__ = ["migrate"]


@command("Move")
def migrate(
    *,
    path: Annotated[Path, typer.Argument(help="A Python file, or a folder with Python files.")],
    write_files: Annotated[
        bool, typer.Option("--write", help="Change the files; otherwise only what would change is shown.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="How long a file may take; then it is left as it is.")] = 60,
) -> None:
    """Rewrite code that uses LangChain's memory classes for memzoo.langchain; name what cannot be, and what to do.

    If a file cannot be read or written, the others are done all the same, and the exit code is 2.
    """
    found: list[Migrated] = []
    unread: list[TransferError] = []
    with Apart(seconds) as apart:
        for file in python_files(path, unread.append, _left_alone):
            try:
                found.append(apart.migrated(file))
            except TransferError as error:
                unread.append(error)
    for refusal in unread:
        echo(f"not read: {refusal}", err=True)
    changed = [one for one in found if one.diff]
    unwritten = 0
    for one in changed:
        if write_files:
            unwritten += not _is_written(one)
        else:
            echo(one.diff, nl=False)
    _tell(found)
    done = "changed" if write_files or not changed else "to change; --write does it"
    echo(f"{len(changed) - unwritten} of {counted(len(found), 'file')} {done}.")
    if failed := len(unread) + unwritten:
        raise TransferError(f"{counted(failed, 'path')} could not be read or written, and stayed as before")


def _left_alone(what: str) -> None:
    echo(f"left alone: {what}", err=True)


def _is_written(one: Migrated) -> bool:
    try:
        write(one)
    except TransferError as error:
        echo(f"not written: {error}", err=True)
        return False
    return True


def _tell(found: list[Migrated]) -> None:
    findings = [(one.path, finding) for one in found for finding in one.findings]
    for path, finding in findings:
        if finding.reason or finding.advice:
            what = f"{finding.name} {finding.reason}".strip()
            echo(f"{path}:{finding.line}: {what}; {finding.advice}")
    left = sum(bool(finding.reason) for _, finding in findings)
    echo(f"{counted(len(findings) - left, 'use')} of LangChain's memory rewritten, {left} left.")
